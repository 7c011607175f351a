"""The codelets of butterflies, of one or several levels, on integers as wide as the modulus."""
