"""Modules that copy, encode and hash values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.stdlib.builtins import has_effects
from cutaway.interp.stdlib.modules import stdlib_module


@stdlib_module("copy")
def _copy() -> dict[str, Any]:
    from cutaway.knowledge.base import copying  # late: few programs copy

    return {"copy": copying.copy, "deepcopy": copying.deepcopy, "Error": copying.Error}


@stdlib_module("json")
def _json() -> dict[str, Any]:
    import json

    return {"loads": json.loads, "dumps": json.dumps, "load": _json_load, "JSONDecodeError": json.JSONDecodeError,
            "dump": has_effects("json.dump"), "JSONEncoder": json.JSONEncoder}  # fmt: skip


def _json_load(file: Any, **_kwargs: Any) -> Any:
    import json

    return file if type(file) is Unknown else json.loads(file.read())


@stdlib_module("tomllib", "tomli")
def _tomllib() -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        return {}

    def load(file: Any, **_options: Any) -> Any:
        return file if type(file) is Unknown else _toml(tomllib.loads, file.read())

    return {
        "load": load,
        "loads": lambda text, **_options: _toml(tomllib.loads, text),
        "TOMLDecodeError": tomllib.TOMLDecodeError,
    }


def _toml(read: Callable[[str], Any], text: Any) -> Any:
    if type(text) is Unknown:
        return text
    if type(text) not in (str, bytes):
        return session.current().unknown("what TOML is read from is no text that is known")
    return read(text.decode("utf-8") if type(text) is bytes else text)


@stdlib_module("hashlib")
def _hashlib() -> dict[str, Any]:
    import hashlib

    return {n: getattr(hashlib, n) for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b")}


@stdlib_module("io")
def _io() -> dict[str, Any]:
    import io

    return {name: getattr(io, name) for name in ("StringIO", "BytesIO", "SEEK_SET", "SEEK_CUR", "SEEK_END")}
