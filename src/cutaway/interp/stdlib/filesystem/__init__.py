"""Files and folders of the project as the target sees them: read-only."""
