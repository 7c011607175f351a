"""Rewriting to reduced-radix limbs, in integer lanes or in doubles."""
