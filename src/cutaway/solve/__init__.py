"""Which sizes a network accepts: exact solutions over the positive integers of what its operations require."""
