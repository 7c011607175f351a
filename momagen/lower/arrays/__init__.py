"""Programs for languages whose operations act on whole arrays, such as JAX: codelets on arrays and their tables."""
