"""The commands that evaluate proposed instruction sets."""
