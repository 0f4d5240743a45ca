"""Python source to closures: expressions, statements, and the scopes that their names live in."""
