"""Programs of transforms on full-radix limbs, in which each pass goes over the whole vector."""
