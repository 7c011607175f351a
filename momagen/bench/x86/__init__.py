"""The analysis of x86 machine code: instructions, data-dependent branches, spills, and the port floor."""
