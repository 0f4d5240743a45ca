"""The boundary between the target and the host: what the target may reach, call and build."""
