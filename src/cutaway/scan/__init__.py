"""What a file would run if it were loaded: one file for each kind of danger."""
