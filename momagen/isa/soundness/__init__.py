"""The checks of a proposal: its operations, its rules, the kernels that use it, and its proxies."""
