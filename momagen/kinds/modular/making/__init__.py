"""The step from arguments to a specification."""
