"""The instruction set B512: instructions as data, as 64-bit words and as assembly, and the files of programs."""
