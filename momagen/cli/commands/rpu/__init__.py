"""``momagen rpu``: programs for the Ring Processing Unit."""
