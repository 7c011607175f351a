"""The callers of kernels, and the choice between them by the words of the arrays that are passed."""
