"""What runs a kernel once its operands are read: C code that checks them first, or a plan in Python."""
