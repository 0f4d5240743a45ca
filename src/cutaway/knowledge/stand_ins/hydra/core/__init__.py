"""Parts of hydra that programs import."""
