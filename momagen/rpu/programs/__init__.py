"""Programs of the Ring Processing Unit."""
