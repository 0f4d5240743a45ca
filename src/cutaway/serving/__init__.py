"""`cutaway serve`: a folder's networks and saved files in the browser, on this machine alone."""
