"""Programs of cache-blocked transforms, whose tiles fit the first-level cache."""
