"""The compiler of Python syntax trees to closures: expressions, statements, definitions, generators."""
