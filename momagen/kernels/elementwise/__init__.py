"""The codelets of element-wise kernels and of scalar functions, on integers as wide as the modulus."""
