"""Functions that show information: which targets exist, and how an operation becomes operations on a target's words."""
