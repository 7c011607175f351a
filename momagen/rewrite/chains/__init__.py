"""Sums of products of words as chains of multiply-adds with carries, for machines with such instructions."""
