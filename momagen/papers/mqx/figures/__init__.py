"""Figures 4 and 5 of the MQX paper and its comparison of two multiplication algorithms, measured on this machine."""
