"""PyYAML: documents are read by its own safe loader, which makes nothing but plain values.

Programs keep the layers of a network in such files. A loader that was taught more than the plain values is not
followed: what it would make is unknown.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.error import one_line
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row


class Loader:
    """Stands for one of the library's loaders; it can be taught, and then it is not known what it makes."""

    taught = False

    @classmethod
    def add_implicit_resolver(cls, *_args: Any, **_options: Any) -> None:
        """Teaches which plain words are numbers, dates and the like."""
        session.current().save_attribute(cls, "taught")
        cls.taught = True

    @classmethod
    def add_constructor(cls, *_args: Any, **_options: Any) -> None:
        """Teaches what a tag makes; a document with that tag is not read anyway."""

    add_multi_constructor = add_constructor
    add_path_resolver = add_implicit_resolver


_LOADERS = {
    name: register(f"yaml.{name}", type(name, (Loader,), {}))
    for name in """BaseLoader SafeLoader FullLoader Loader UnsafeLoader CBaseLoader CSafeLoader CFullLoader CLoader
    CUnsafeLoader LoaderOfOmegaConf""".split()
}


_EXPONENT = re.compile(r"^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)[eE][-+]?[0-9]+$")


class YAMLError(Exception):
    """A document that is none."""


for _name in ("yaml.YAMLError", "yaml.error.YAMLError", "yaml.error.MarkedYAMLError", "yaml.scanner.ScannerError",
              "yaml.parser.ParserError", "yaml.constructor.ConstructorError"):  # fmt: skip
    register(_name, YAMLError)


@row("yaml.load")
def load(stream: Any, Loader: Any = None) -> Any:
    """Reads one document."""
    return _read(stream, Loader, "load")


@row("yaml.load_all")
def load_all(stream: Any, Loader: Any = None) -> Any:
    """Reads all documents."""
    return _read(stream, Loader, "load_all")


@row("yaml.safe_load", "yaml.full_load", "yaml.unsafe_load")
def safe_load(stream: Any) -> Any:
    """Reads one document."""
    return _read(stream, _LOADERS["SafeLoader"], "load")


@row("yaml.safe_load_all", "yaml.full_load_all", "yaml.unsafe_load_all")
def safe_load_all(stream: Any) -> Any:
    """Reads all documents."""
    return _read(stream, _LOADERS["SafeLoader"], "load_all")


@row("yaml.dump", "yaml.safe_dump")
def dump(data: Any, stream: Any = None, **options: Any) -> Any:
    """Writes plain values as text; a file is not written."""
    if stream is not None:
        return stream if isinstance(stream, Unknown) else None
    options.pop("Dumper", None)
    return _natively(lambda yaml: yaml.safe_dump(data, **options), "what is dumped")


@row("yaml.add_constructor", "yaml.add_multi_constructor", "yaml.add_representer", "yaml.add_multi_representer")
def add_constructor(*_args: Any, **_options: Any) -> None:
    """Teaches what a tag makes; a document with that tag is not read anyway."""


@row("yaml.add_implicit_resolver")
def add_implicit_resolver(tag: Any, regexp: Any, first: Any = None, Loader: Any = None, Dumper: Any = None) -> None:
    """Teaches all loaders which plain words are numbers, dates and the like."""
    loaders: list[Any] = list(_LOADERS.values()) if Loader is None else [Loader]
    for taught in loaders:
        taught.add_implicit_resolver(tag, regexp, first)


def _read(stream: Any, loader: Any, how: str) -> Any:
    for given in (stream, loader):
        if isinstance(given, Unknown):
            return given
    known = next((name for name, row in _LOADERS.items() if row is loader), None)
    if loader is not None and (known is None or loader.taught):
        return session.current().unknown("a YAML document is read by a loader of the program's own")
    if not isinstance(stream, (str, bytes, io.StringIO, io.BytesIO)):
        return session.current().unknown("what YAML is read from is no file that is known")
    plain = "BaseLoader" if known in ("BaseLoader", "CBaseLoader") else "SafeLoader"
    has_exponents = known == "LoaderOfOmegaConf"

    def parse(yaml: Any) -> Any:
        native = getattr(yaml, plain)
        found = getattr(yaml, how)(stream, Loader=_with_exponents(native) if has_exponents else native)
        return iter(list(found)) if how == "load_all" else found

    return _natively(parse, "a YAML document")


def _with_exponents(native: Any) -> Any:
    """Return a loader for which `1e-4` is a number, as it is for OmegaConf, and not the word that YAML 1.1 has there."""
    loader: Any = type("LoaderOfOmegaConf", (native,), {})
    loader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789."))
    return loader


def _natively(do: Callable[[Any], Any], what: str) -> Any:
    """Do something with the real library, on values that are plain."""
    import yaml  # type: ignore[import-untyped]

    try:
        return do(yaml)
    except (yaml.constructor.ConstructorError, yaml.representer.RepresenterError) as error:
        reason = one_line(str(getattr(error, "problem", None) or error))
        return session.current().unknown(f"{what} has more than plain values: {reason}")
    except yaml.YAMLError as error:
        raise YAMLError(str(error)) from None
