"""The checked-in files that momagen generates: kernels, and the functions and the page that follow from declarations.

``momagen regen`` writes them again, or compares them byte by byte.
"""
