"""Plots: descriptions of pictures, and the one module that draws them with matplotlib."""
