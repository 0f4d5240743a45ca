"""What every library's rows are built on: the registry, the framework protocol, reading networks off."""
