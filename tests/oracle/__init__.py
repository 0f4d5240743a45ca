"""Every row of the torch tables against the real torch; see README.md."""
