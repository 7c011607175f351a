"""The output of measurements: tables, plots, and files."""
