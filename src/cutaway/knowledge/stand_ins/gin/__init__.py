"""gin: arguments of functions and classes are bound by name in files of settings."""

from gin.config import (
    REQUIRED,
    add_config_file_search_path,
    bind_parameter,
    clear_config,
    config_scope,
    config_str,
    configurable,
    constant,
    external_configurable,
    finalize,
    operative_config_str,
    parse_config,
    parse_config_file,
    parse_config_files_and_bindings,
    query_parameter,
    register,
    unlock_config,
)
