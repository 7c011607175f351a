"""Programs of register-blocked transforms, which compute several butterfly levels between each load and store."""
