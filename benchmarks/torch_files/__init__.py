"""Files that the real torch writes, read and compared with the networks they were made from."""
