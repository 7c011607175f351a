"""The meaning of CUDA C++ device code: its text, its vector types, its built-in functions and its inline assembly."""
