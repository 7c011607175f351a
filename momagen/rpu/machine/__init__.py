"""The machines for which programs are compiled and simulated, as TOML files, and the costs of their instructions."""
