"""A second generator: ordinary small programs, each with idioms of everyday code around one to three open decisions."""
