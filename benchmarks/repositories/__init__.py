"""Public research repositories, shown as a new user would: without any option, and compared with what they build live."""
