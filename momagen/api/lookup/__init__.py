"""What users look up: which targets there are, and how an operation becomes words of one of them."""
