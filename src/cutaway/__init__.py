"""Cutaway shows what is inside a neural network without running it.

import cutaway

(network,) = cutaway.show("model.py::Net", input="1x3x32x32")
network.totals.parameters
"""

# No future statement and no import of the standard library: at a prompt it would come from the working folder.
import sys

from cutaway.core.import_path import WithoutWorkingFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cutaway._api import observe, show, summary
    from cutaway.core.architecture import Architecture
    from cutaway.core.error import CutawayError
    from cutaway.core.size.parser import evaluate
    from cutaway.report.json import dumps, loads

__version__ = "0.1.0"
__all__ = ["Architecture", "CutawayError", "__version__", "dumps", "evaluate", "loads", "observe", "show", "summary"]

_HOMES = {
    "Architecture": "cutaway.core.architecture",
    "CutawayError": "cutaway.core.error",
    "dumps": "cutaway.report.json",
    "evaluate": "cutaway.core.size.parser",
    "loads": "cutaway.report.json",
    "observe": "cutaway._api",
    "show": "cutaway._api",
    "summary": "cutaway._api",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'cutaway' has no attribute {name!r}")
    with WithoutWorkingFolder():
        __import__("cutaway.report.notebook")  # networks are printed as it says
        __import__(_HOMES[name])
    return getattr(sys.modules[_HOMES[name]], name)
