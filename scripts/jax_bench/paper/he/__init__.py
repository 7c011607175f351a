"""HE operators of Table VIII, their kernels, and what is estimated from those."""
