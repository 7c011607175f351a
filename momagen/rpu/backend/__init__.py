"""From virtual registers to programs: register allocation and scheduling."""
