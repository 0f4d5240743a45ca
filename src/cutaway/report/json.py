"""The JSON form of Architectures: one versioned document that reads back to what was written.

`schema.json` beside this file is its JSON Schema; `docs/json.md` explains it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cutaway.core.architecture import (
    KINDS,
    MODES,
    Alias,
    Allowed,
    Architecture,
    Cause,
    Condition,
    Diagnostic,
    DiagnosticNote,
    Module,
    ModuleCall,
    Note,
    Op,
    OtherMode,
    Precondition,
    Quantity,
    Setting,
    Temporary,
    Totals,
    Value,
    Weight,
    symbolic,
)
from cutaway.core.condition import KINDS as DECIDED_BY
from cutaway.core.place import Place
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim
from cutaway.core.size.parser import read_size
from cutaway.passes.cost import Cost, measure
from cutaway.passes.provenance import Known, Provenance

SCHEMA = "cutaway/architecture/2"
"""The version of the form; another number after the slash is another form."""

_COSTS = ("parameters", "trainable_parameters", "buffers", "macs", "weight_bytes", "activation_bytes")
"""The costs of each module, beside those of the whole."""

OLDER = ("cutaway/architecture/1",)
"""Versions that are read too: they have no conditions and no repeats."""


class MalformedDocument(ValueError):
    """A document that is not of this form; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a field is written, and read from a document; `where` is the field's path, for messages."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


def dumps(architectures: Sequence[Architecture], *, compact: bool = False, depth: int | None = None) -> str:
    """Return the document as text, with one line for each module, weight and operation.

    Args:
        architectures: the networks.
        compact: in one line, without provenance and `known`.
        depth: only the modules of so many levels, with what belongs to these; such a document is not read back.
    """
    documents = [_written(architecture, compact, depth) for architecture in architectures]
    if compact:
        return json.dumps({"schema": SCHEMA, "architectures": documents}, separators=(",", ":")) + "\n"
    entries = [_entry(document) for document in documents]
    return f'{{\n"schema": {json.dumps(SCHEMA)},\n"architectures": [{",".join(entries)}]\n}}\n'


def dumps_briefly(architectures: Sequence[Architecture]) -> str:
    """Return a document for another process: without what follows from the rest, and without line breaks."""
    return json.dumps({"schema": SCHEMA, "architectures": [_ARCHITECTURE.write(each) for each in architectures]})


def loads(text: str | bytes) -> tuple[Architecture, ...]:
    """Read a document's text."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedDocument(f"not a JSON document: {error}") from None
    return from_json(document)


def to_json(architectures: Sequence[Architecture]) -> dict[str, Any]:
    """Return the document."""
    return {"schema": SCHEMA, "architectures": [_written(each) for each in architectures]}


def _written(architecture: Architecture, compact: bool = False, depth: int | None = None) -> dict[str, Any]:
    """Return an architecture with what follows from it: the costs of each module, and how each fact is known."""
    document: dict[str, Any] = _ARCHITECTURE.write(architecture)
    costs = measure(architecture)
    for entry, module in zip(document["modules"], architecture.modules):
        cost = costs.get(module.path, Cost())
        entry["costs"] = {name: write_quantity(getattr(cost, name).quantity) for name in _COSTS}
    if not compact:
        _add_provenance(document, architecture)
    if depth is not None:
        _cut(document, architecture.separator, depth)
    return document


def _cut(document: dict[str, Any], separator: str, depth: int) -> None:
    """Leave out the modules below some levels, with their weights and operations."""

    def is_shown(path: str | None) -> bool:
        return not path or path.count(separator) < depth

    document["modules"] = [each for each in document["modules"] if is_shown(each["path"])]
    document["weights"] = [each for each in document["weights"] if is_shown(each["module"])]
    document["ops"] = [each for each in document["ops"] if is_shown(each["module"])]
    document["depth"] = depth


def _add_provenance(document: dict[str, Any], architecture: Architecture) -> None:
    provenance = Provenance(architecture)
    for side in ("inputs", "outputs", "modules", "weights", "ops"):
        for entry, fact in zip(document[side], getattr(architecture, side)):
            entry["provenance"] = provenance.document(fact)
    known = provenance.counted()
    document["known"] = {name: getattr(known, name) for name in Known.__dataclass_fields__}
    document["known"]["assumptions"] = list(known.assumptions)


def from_json(document: object) -> tuple[Architecture, ...]:
    """Read a document, or raise `MalformedDocument`. Fields that are not of the form are passed over."""
    if not isinstance(document, dict) or "schema" not in document:
        raise MalformedDocument(f'expected an object with "schema": "{SCHEMA}"')
    if document["schema"] != SCHEMA and document["schema"] not in OLDER:
        raise MalformedDocument(f'schema: this version reads "{SCHEMA}", the document is {document["schema"]!r}')
    entries = document.get("architectures")
    if isinstance(entries, list) and any(isinstance(each, dict) and "depth" in each for each in entries):
        raise MalformedDocument("written with --depth, so the network is not whole: write it without")
    read: tuple[Architecture, ...] = _many(_ARCHITECTURE).read(document.get("architectures"), "architectures")
    return read


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    loaded: dict[str, Any] = json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))
    return loaded


def _entry(architecture: Mapping[str, Any]) -> str:
    fields = []
    for name, value in architecture.items():
        if isinstance(value, list) and value:
            text = "[\n    " + ",\n    ".join(json.dumps(item) for item in value) + "\n  ]"
        else:
            text = json.dumps(value)
        fields.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}"


def _plain(kind: type, words: str) -> _Form:
    def read(value: Any, where: str) -> Any:
        if type(value) is not kind:
            raise _unexpected(value, words, where)
        return value

    return _Form(lambda value: value, read)


def _many(item: _Form) -> _Form:
    def read(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _unexpected(value, "a list", where)
        return tuple(item.read(each, f"{where}[{at}]") for at, each in enumerate(value))

    return _Form(lambda values: [item.write(each) for each in values], read)


def _optional(form: _Form) -> _Form:
    return _Form(
        lambda value: None if value is None else form.write(value),
        lambda value, where: None if value is None else form.read(value, where),
    )


def _record(record_type: type, optional: tuple[str, ...] = (), brief: tuple[str, ...] = (), **fields: _Form) -> _Form:
    """Return the form of a record; a document may lack the `optional` fields, which have defaults.

    The `brief` ones are not written where they have these.
    """
    defaults = {name: record_type.__dataclass_fields__[name].default for name in brief}  # type: ignore[attr-defined]

    def write(record: Any) -> dict[str, Any]:
        if not brief:
            return {name: form.write(getattr(record, name)) for name, form in fields.items()}
        held = {name: getattr(record, name) for name in fields}
        return {
            name: form.write(held[name])
            for name, form in fields.items()
            if name not in defaults or held[name] != defaults[name]
        }

    def read(value: Any, where: str) -> Any:
        if not isinstance(value, dict):
            raise _unexpected(value, "an object", where)
        missing = [name for name in fields if name not in value and name not in optional]
        if missing:
            raise MalformedDocument(f'{where}: the field "{missing[0]}" is missing')
        given = {name: form for name, form in fields.items() if name in value}
        return record_type(**{name: form.read(value[name], f"{where}.{name}") for name, form in given.items()})

    return _Form(write, read)


def _choice(*words: str) -> _Form:
    def read(value: Any, where: str) -> str:
        if value not in words:
            raise _unexpected(value, " or ".join(f'"{word}"' for word in words), where)
        return str(value)

    return _Form(lambda value: value, read)


def _unexpected(value: Any, words: str, where: str) -> MalformedDocument:
    shown = json.dumps(value)
    return MalformedDocument(f"{where}: expected {words}, found {shown if len(shown) <= 60 else shown[:57] + '...'}")


def write_quantity(value: Quantity) -> int | str | None:
    """Return a quantity as JSON has it: a number, the string of an expression, or null."""
    return str(value) if isinstance(value, Dim) else value


def _read_quantity(value: Any, where: str) -> Quantity:
    if type(value) is str:
        return read_size(value)
    if value is not None and type(value) is not int:
        raise _unexpected(value, "an integer, an expression or null", where)
    return value  # type: ignore[no-any-return]


def plain(value: Setting | Mapping[str, Setting]) -> Any:
    """Return a value of the target as JSON has it: `{"symbolic": "2*B"}` for an expression, and, because JSON has no
    infinity, `{"float": "-inf"}` for that.
    """
    if isinstance(value, Dim):
        return symbolic(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def _read_open(value: Any, where: str) -> Setting:
    if isinstance(value, list):
        return [_read_open(item, where) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"float"} and value["float"] in ("inf", "-inf", "nan"):
            return float(value["float"])
        if value.keys() == {"symbolic"} and isinstance(value["symbolic"], str):
            return read_size(value["symbolic"])
        return {key: _read_open(item, where) for key, item in value.items()}
    return value  # type: ignore[no-any-return]


def _read_options(value: Any, where: str) -> Setting:
    if not isinstance(value, dict):
        raise _unexpected(value, "an object", where)
    return {key: _read_open(item, where) for key, item in value.items()}


_TEXT = _plain(str, "a string")
_FLAG = _plain(bool, "true or false")
_QUANTITY = _Form(write_quantity, _read_quantity)
_SHAPE = _optional(_many(_QUANTITY))
_PLACE = _optional(_Form(str, lambda value, where: Place.parse(_TEXT.read(value, where))))
_OPTIONS = _Form(plain, _read_options)
_ASSUMED = _many(_TEXT)
_VALUE = _record(
    Value,
    optional=("condition", "assumed"),
    brief=("condition", "assumed"),
    name=_TEXT,
    shape=_SHAPE,
    dtype=_optional(_TEXT),
    condition=_optional(_TEXT),
    assumed=_ASSUMED,
)
_ALIAS = _record(Alias, condition=_TEXT, name=_TEXT)
_FOLDED = ("condition", "repeat", "otherwise", "assumed")
_FOLDED_OP = ("condition", "repeat", "assumed", "frees", "temporaries")
_ORIGINS = _Form(dict, _read_options)
_CALL = _record(
    ModuleCall,
    optional=("input_dtypes", "output_dtypes", "condition", "assumed"),
    brief=("condition", "assumed"),
    inputs=_many(_SHAPE),
    outputs=_optional(_many(_SHAPE)),
    input_dtypes=_many(_optional(_TEXT)),
    output_dtypes=_many(_optional(_TEXT)),
    condition=_optional(_TEXT),
    assumed=_ASSUMED,
)
_MODULE = _record(
    Module,
    optional=(*_FOLDED, "origins"),
    brief=_FOLDED,
    path=_TEXT,
    class_name=_TEXT,
    qualified_name=_TEXT,
    config=_OPTIONS,
    source=_PLACE,
    calls=_many(_CALL),
    complete=_FLAG,
    condition=_optional(_TEXT),
    repeat=_QUANTITY,
    otherwise=_many(_ALIAS),
    origins=_ORIGINS,
    assumed=_ASSUMED,
)
_WEIGHT = _record(
    Weight,
    optional=("module", "persistent", *_FOLDED),
    brief=_FOLDED,
    name=_TEXT,
    shape=_SHAPE,
    dtype=_optional(_TEXT),
    kind=_choice(*KINDS),
    trainable=_optional(_FLAG),
    tied_to=_optional(_TEXT),
    module=_optional(_TEXT),
    persistent=_FLAG,
    condition=_optional(_TEXT),
    repeat=_QUANTITY,
    otherwise=_many(_ALIAS),
    assumed=_ASSUMED,
)
_TEMPORARY = _record(
    Temporary,
    optional=("copies", "kept"),
    brief=("copies", "kept"),
    shape=_SHAPE,
    dtype=_optional(_TEXT),
    copies=_optional(_TEXT),
    kept=_FLAG,
)
_OP = _record(
    Op,
    optional=_FOLDED_OP,
    brief=_FOLDED_OP,
    op=_TEXT,
    attributes=_OPTIONS,
    inputs=_many(_VALUE),
    outputs=_many(_VALUE),
    module=_TEXT,
    source=_PLACE,
    macs=_QUANTITY,
    allocates=_FLAG,
    condition=_optional(_TEXT),
    repeat=_QUANTITY,
    assumed=_ASSUMED,
    frees=_many(_TEXT),
    temporaries=_many(_TEMPORARY),
)
_TOTALS = _record(Totals, (), (), **dict.fromkeys(Totals.__dataclass_fields__, _QUANTITY))
_NOTE = _record(Note, text=_TEXT, place=_PLACE, module=_optional(_TEXT))
_COUNT = _plain(int, "a whole number")
_CAUSE = _record(Cause, text=_TEXT, place=_PLACE, modules=_COUNT, weights=_COUNT, ops=_COUNT)
_CONDITION = _record(Condition, text=_TEXT, kind=_choice(*DECIDED_BY), place=_PLACE, holds=_optional(_FLAG))
_DIAGNOSTIC_NOTE = _record(DiagnosticNote, text=_TEXT, place=_PLACE)
_DIAGNOSTIC = _record(Diagnostic, code=_TEXT, message=_TEXT, place=_PLACE, notes=_many(_DIAGNOSTIC_NOTE))
_ALLOWED = _record(
    Allowed,
    symbol=_TEXT,
    text=_TEXT,
    ranges=_many(_Form(list, _many(_optional(_COUNT)).read)),
    start=_COUNT,
    modulus=_optional(_COUNT),
    residues=_many(_COUNT),
)
_PRECONDITION = _record(
    Precondition,
    inputs=_many(_VALUE),
    alternatives=_many(_many(_ALLOWED)),
    keeps=_many(_many(_ALLOWED)),
    text=_TEXT,
    exact=_FLAG,
    also=_many(_TEXT),
    because=_many(_NOTE),
    open=_many(_NOTE),
)
_ARCHITECTURE = _record(
    Architecture,
    optional=("separator", "causes", "requires", "conditions", "mode", "other_mode", "results"),
    name=_TEXT,
    target=_TEXT,
    framework=_TEXT,
    inputs=_many(_VALUE),
    outputs=_many(_VALUE),
    modules=_many(_MODULE),
    weights=_many(_WEIGHT),
    ops=_many(_OP),
    totals=_TOTALS,
    unknowns=_many(_NOTE),
    assumptions=_many(_NOTE),
    diagnostics=_many(_DIAGNOSTIC),
    separator=_TEXT,
    causes=_many(_CAUSE),
    requires=_optional(_PRECONDITION),
    conditions=_many(_CONDITION),
    mode=_optional(_choice(*MODES)),
    other_mode=_optional(_record(OtherMode, mode=_choice(*MODES), differences=_many(_NOTE))),
    results=_many(_TEXT),
)
