"""The choices that plans make if an option is not passed."""
