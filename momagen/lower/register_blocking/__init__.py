"""Programs of register-blocked transforms, which do several butterfly levels for each load and store."""
