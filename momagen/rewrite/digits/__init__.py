"""Rewriting to reduced-radix digits, in integer lanes or in doubles."""
