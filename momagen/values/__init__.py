"""The values of arguments as users write them: numbers or expressions, flags, texts, and lists of moduli."""
