"""Plans for machines whose threads work in blocks that share a memory."""
