"""What options ask for, beside what plans do without them."""
