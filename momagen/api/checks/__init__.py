"""Checks of the arguments that users pass to public functions."""
