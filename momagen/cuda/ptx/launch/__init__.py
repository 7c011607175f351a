"""The launch of an emulated kernel: its arguments, its memory, and the faults and counts that it reports."""
