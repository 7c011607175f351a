"""Sums of products of words as carry chains of multiply-adds, for machines whose carries pass from one to the next."""
