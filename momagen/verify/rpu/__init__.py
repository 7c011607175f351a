"""The verification of programs of the Ring Processing Unit against definitions."""
