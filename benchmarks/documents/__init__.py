"""Whether what the documents tell a reader to type works where only what they say is installed."""
