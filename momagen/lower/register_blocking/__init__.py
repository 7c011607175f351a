"""Programs of transforms that take several levels through registers at once."""
