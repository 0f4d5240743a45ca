"""What a program learns about its own types and functions, and the libraries that make use of it."""
