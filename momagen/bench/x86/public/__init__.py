"""Which numbers in x86-64 machine code are public: counts, pointers, and what a plan holds; all others are data."""
