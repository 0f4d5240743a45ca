"""The same progress bars, for another display."""
