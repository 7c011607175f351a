"""The papers' notation: syntax trees of rules, and their parser."""
