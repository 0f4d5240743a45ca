"""Programs with a fault of the kind that people ask about on question sites, each with its fixed version."""
