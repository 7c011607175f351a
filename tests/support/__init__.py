"""What several test files share: definitions of kernels, inputs, stand-ins for devices."""
