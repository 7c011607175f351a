"""The suites of ``momagen bench``: acceptance tests, races between kernels and libraries, and sweeps."""
