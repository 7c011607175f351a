"""What x86 machine code does: its instructions, branches, spills and port floor."""
