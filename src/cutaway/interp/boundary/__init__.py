"""The boundary between the target and the host: what the target may access, call and build."""
