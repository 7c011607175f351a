"""Programs of transforms on reduced-radix limbs: constants, butterflies and levels."""
