"""The commands for kernels of constant matrices and of RNS bases."""
