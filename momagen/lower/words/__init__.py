"""Programs of transforms on full-radix limbs, pass after pass over the whole vector."""
