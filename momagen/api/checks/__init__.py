"""Checks of what users hand to public functions."""
