"""Files and folders of the project as a target sees them: nothing is written."""
