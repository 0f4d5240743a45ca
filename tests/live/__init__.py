"""Running networks, and static results against them."""
