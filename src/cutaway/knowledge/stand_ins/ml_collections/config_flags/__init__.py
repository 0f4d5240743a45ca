"""Configurations that are named on the command line, as a Python file with `get_config`."""

from ml_collections.config_flags.config_flags import DEFINE_config_dict, DEFINE_config_file
