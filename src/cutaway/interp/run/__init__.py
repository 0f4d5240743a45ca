"""What compiled code runs on: frames, functions, budgets, and the boundary to the host."""
