"""Construction code from a graph: its operations are lowered to layers and functions, patterns raised, modules written."""
