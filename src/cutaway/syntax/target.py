"""The grammar of targets and of `--assume`."""

from __future__ import annotations

import ast
import os
from typing import Any

from cutaway.core import disk
from cutaway.core.error import CutawayError
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.syntax import notebook
from cutaway.syntax.suggestions import file_suggestion


class TargetError(CutawayError):
    """A target or an input that can't be understood; the message is complete."""


class NoNetwork(TargetError):
    """A target that has no network, and nothing tells that it should have one."""

    lacks_network = True


class OptionError(TargetError):
    """An option that asks for what the target does not have."""


class FaultyTarget(TargetError):
    """A target that has a fault before there is anything to show."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Program:
    """Source that is not in a file: it is interpreted as if it were in `file`, as the first module of `folder`.

    `name` is the network's class, `home` the module that it is imported from.
    """

    text: str
    file: str
    folder: str
    name: str
    home: str
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What to analyse: a file or a dotted module, and an expression in it (empty for all networks)."""

    text: str
    file: str | None
    module: str | None
    expression: str
    program: Program | None = None


_FORMS = "give a Python file, file.py::name, or package.module:name"
_DOCUMENTS = (".md", ".rst")
_HUB_NAME = pattern(r"([A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")
_MODULE = pattern(r"[A-Za-z_][\w]*(\.[A-Za-z_][\w]*)*")


def parse_target(text: str) -> Target:
    """Parse `model.py`, `model.py::Net`, `package.module:make(3)`, or `-` for standard input."""
    if not text.strip():
        raise TargetError(f"the target is empty: {_FORMS}")
    path, separator, expression = text.partition("::")
    if separator:
        if not path:
            raise TargetError(f"{text}: nothing precedes '::'; {_FORMS}")
        if not expression.strip():
            raise TargetError(f"{text}: nothing follows '::'; name a class, a variable or a call")
        return Target(text, path, None, expression.strip())
    if text.endswith(_DOCUMENTS) and disk.is_file(text):
        raise TargetError(f"{text}: is a document, not a program; {_FORMS}")
    if text == "-" or text.endswith((".py", notebook.ENDING)) or disk.exists(text):
        return Target(text, text, None, "")
    module, separator, expression = text.partition(":")
    if separator and (module.endswith((".py", notebook.ENDING)) or disk.is_file(module)):
        raise TargetError(f"{text}: a name in a file follows two colons: write {module}::{expression}")
    if _MODULE.fullmatch(module):
        if separator and not expression.strip():
            raise TargetError(f"{text}: nothing follows ':'; name a class, a variable or a call")
        return Target(text, None, module, expression.strip())
    if "/" in text or os.sep in text:
        raise TargetError(f"{text}: no such file{file_suggestion(text)}{_hub_hint(text)}")
    raise TargetError(f"{text}: not a target; {_FORMS}{_hub_hint(text)}")


def _hub_hint(text: str) -> str:
    """Return where a model with such a name on a hub is, if it has been downloaded before."""
    if not _HUB_NAME.fullmatch(text) or ("/" in text and disk.is_folder(text.partition("/")[0])):
        return ""
    home = os.environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")
    pattern = os.path.join(home, "hub", f"models--{text.replace('/', '--')}", "snapshots", "*")
    cached = [folder for folder in disk.matching(pattern, False) if disk.is_folder(folder)]
    if cached:
        return f"; the model of that name on the hub has been downloaded: cutaway show {cached[-1]}"
    return "; if it is a model on a hub, download its config.json and give that folder: Cutaway downloads nothing"


def parse_assumption(text: str) -> tuple[str, Any]:
    """Parse `use_dropout=True`, `width=64`, `act == 'relu'=False`: a condition, and its assumed value."""
    words, separator, value = text.rpartition("=")
    usage = "write CONDITION=VALUE, as in use_dropout=True"
    if not separator or not words.strip():
        raise TargetError(f"--assume {text}: nothing precedes '='; {usage}")
    try:
        condition = ast.unparse(ast.parse(words.strip(), mode="eval"))
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {words.strip()!r} is not a condition; {usage}") from None
    try:
        return condition, ast.literal_eval(value.strip())
    except (SyntaxError, ValueError):
        raise TargetError(f"--assume {text}: {value.strip()!r} is not a Python literal; {usage}") from None
