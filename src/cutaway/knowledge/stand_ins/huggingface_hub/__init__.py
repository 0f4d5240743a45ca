"""huggingface_hub, of which strict data classes are described: what it would download is unknown."""
