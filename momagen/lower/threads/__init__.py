"""Programs for GPUs, whose threads form blocks: launches of transforms, element-wise kernels, and set-up of tables."""
