"""Objects of a program as memory: what they contain, and which of them have changed."""
