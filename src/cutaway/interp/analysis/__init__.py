"""From a target to its networks: find them, choose inputs, run forward, read the result off."""
