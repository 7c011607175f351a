"""The parts of PTX to C: instructions by a table of opcodes, accesses to memory, branches and barriers."""
