"""The measurement of one kernel: clocks, samples, fresh operands, and a description of the machine."""
