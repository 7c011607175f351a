"""The options of a kernel: their values, the record that holds them, and the keyword arguments of the makers."""
