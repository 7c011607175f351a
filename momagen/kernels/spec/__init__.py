"""Specifications: what a user asks for, checked once."""
