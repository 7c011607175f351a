"""B512: instructions as data, as 64-bit words, as text, and as files of programs."""
