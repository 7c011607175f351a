"""Designs of Ring Processing Units side by side: swept, and set beside what the paper states."""
