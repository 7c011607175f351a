"""Commands on proposed instruction sets."""
