"""Hydra: configurations that are composed of files, and objects that are made from them."""

import functools
import os
import sys

from hydra.composition import composed
from hydra.initialize import compose, initialize, initialize_config_dir, initialize_config_module

__version__ = "1.3.2"


def main(config_path=None, config_name=None, version_base=None, strict=None):
    """Call a program's function with the configuration that its files and its command line make."""

    def decorate(function):
        @functools.wraps(function)
        def start(cfg_passthrough=None):
            if cfg_passthrough is not None:
                return function(cfg_passthrough)
            folder = os.path.dirname(os.path.abspath(function.__code__.co_filename))
            path = None if config_path is None else os.path.join(folder, config_path)
            return function(composed(path or folder, config_name, list(sys.argv[1:])))

        return start

    return decorate
