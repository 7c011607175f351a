"""The translation of PTX to C: instructions by a table of opcodes, memory accesses, branches and barriers."""
