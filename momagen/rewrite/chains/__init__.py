"""Sums of products of words as carry chains of multiply-adds, for machines whose instructions pass on a carry."""
