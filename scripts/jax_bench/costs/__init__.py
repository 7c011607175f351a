"""Races behind figures of pages and target files: factors of transforms, engines of products, several devices."""
