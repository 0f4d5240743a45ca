"""absl: flags, and a main function."""
