"""Figures as tables, plots and files."""
