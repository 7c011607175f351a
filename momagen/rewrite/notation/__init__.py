"""The notation of the papers: the syntax trees of rules, and their parser."""
