"""From what a user asks for to a specification."""
