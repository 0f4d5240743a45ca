"""transformers: the few parts of it that are described here instead of being read from its source.

Each is there for the reason given with it; everything else of the library is interpreted.
"""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.registry import row


@row("transformers.utils.auto_docstring.auto_docstring")
def auto_docstring(obj: Any = None, **_options: Any) -> Any:
    """Leaves what it decorates as it is: it only writes documentation, from the text of source files."""
    return obj if obj is not None else (lambda decorated: decorated)


@row("transformers.utils.import_utils.define_import_structure")
def define_import_structure(*_args: Any, **_kwargs: Any) -> dict[Any, Any]:
    """Says nothing: it lists the files of the package and searches their text for names.

    The same names stand below `if TYPE_CHECKING:`, where the loader finds them.
    """
    return {frozenset(): {}}


@row("transformers.utils.import_utils._LazyModule")
def lazy_module(*_args: Any, **_kwargs: Any) -> Unknown:
    """Does not take a module's place: what it would do, importing names on demand, the loader does already."""
    return Unknown("modules import their names on demand without it")
