"""The runtime of compiled code: frames, functions, budgets, truth values, and iteration."""
