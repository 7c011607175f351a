"""The compiler back end: from code on virtual registers to programs, by register allocation and scheduling."""
