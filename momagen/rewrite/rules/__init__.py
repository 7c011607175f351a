"""Rules and the operations that they rewrite: read from TOML, checked to end, and evaluated."""
