"""Formulas: linear transforms over Z_q as products of sparse factors, and the rules that break them down."""
