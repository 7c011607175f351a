"""What the generator makes, frozen: figures of some hundred kernels that reach every data flow. See README.md."""
