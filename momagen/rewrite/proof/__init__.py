"""Proofs of rules: on all small inputs, as polynomial identities, and on random inputs."""
