"""Rules and the operations that they rewrite: they are read from TOML files, checked, and evaluated."""
