"""The register-blocked passes of a transform: the butterfly levels of each, its position, and its codelets."""
