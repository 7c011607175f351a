"""Plans for machines whose threads form blocks with shared memory, such as GPUs."""
