"""ml_collections: settings with fixed types."""

from ml_collections.config_dict import ConfigDict, FieldReference, FrozenConfigDict
