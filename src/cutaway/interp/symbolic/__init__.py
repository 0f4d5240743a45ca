"""Programs that are not decided: loops of symbolic length, conditions followed both ways, missing arguments."""
