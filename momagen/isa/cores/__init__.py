"""CPUs as data: clocks, cores, and what their ports issue in a cycle."""
