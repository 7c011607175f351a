"""CPUs as data: their clocks, their cores, and the instructions that their ports issue in a cycle."""
