"""Proofs about machine code: the function ``execute`` of a kernel, as a compiler translated it for x86-64."""
