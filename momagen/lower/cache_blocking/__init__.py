"""Programs of transforms in tiles that the first cache holds."""
