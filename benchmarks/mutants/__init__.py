"""Programs that were changed in one place, to measure which faults `check` finds, and what it reports without reason."""
