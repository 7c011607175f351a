"""What generated source does with the operating system: its macros, advice about memory, and aligned allocations."""
