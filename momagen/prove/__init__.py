"""Proofs that generated kernels compute what their claims say, for every modulus."""
