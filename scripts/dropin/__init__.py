"""Builds programs that use HEXL, against a package in its place and against the originals, and compares them."""
