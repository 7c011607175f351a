"""Programs of the Ring Processing Unit against definitions."""
