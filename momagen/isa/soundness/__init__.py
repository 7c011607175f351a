"""Proposals checked: operations, rules, kernels and proxies."""
