"""What the project around a network says about how it is made."""
