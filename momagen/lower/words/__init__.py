"""Programs of transforms on whole words, pass after pass."""
