"""What keeps hostile targets from doing harm, measured."""
