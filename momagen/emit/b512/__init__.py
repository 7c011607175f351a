"""The printer of kernels for Ring Processing Units, as B512 assembly."""
