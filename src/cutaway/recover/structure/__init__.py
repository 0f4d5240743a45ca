"""The modules of the code: a tree of blocks from the names in a file, and a class for all blocks that are alike."""
