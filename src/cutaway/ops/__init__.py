"""What operations do to shapes and what they cost, in no framework's words."""
