"""yacs: configurations that are read from YAML files."""
