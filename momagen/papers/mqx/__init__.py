"""The MQX paper (Zhang, Fu and Franchetti, MICRO 2025): its numbers and their reproduction."""
