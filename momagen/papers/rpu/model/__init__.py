"""A model of the area and energy of Ring Processing Units, fitted to the paper's figures for one machine."""
