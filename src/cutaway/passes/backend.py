"""Which operations of a network a backend can't do, by a table of its capabilities.

The table is TOML:

    name = "npu"                                # what to call it
    unlisted = "unsupported"                    # or "supported": operations that no entry matches

    [ops."torch.conv2d"]                        # a name, or a pattern such as "torch.*"; the longest match counts
    dtypes = ["float32", "bfloat16"]            # of every tensor it reads and makes
    ranks = [4]                                 # of its first input

    [ops."torch.conv2d".attributes]
    groups = [1]                                # the values that are allowed
    kernel_size = {min = 1, max = 7}            # bounds, of each number in a list
    padding_mode = "zeros"                      # the one value that is allowed
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cutaway.core.record import dataclass
from cutaway.passes.unique_ops import UniqueOp

SUPPORTED, UNSUPPORTED = "supported", "unsupported"
_FIELDS = {"dtypes", "ranks", "attributes"}


class MalformedTable(ValueError):
    """A table of capabilities that can't be understood; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Capability:
    """What a backend can do of one operation; None where it is not bounded."""

    dtypes: frozenset[str] | None
    ranks: frozenset[int] | None
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Backend:
    """A table of capabilities."""

    name: str
    ops: Mapping[str, Capability]
    unlisted: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An operation that a backend can't do, and every reason."""

    op: UniqueOp
    name: str
    reasons: tuple[str, ...]


def read_table(table: Mapping[str, Any]) -> Backend:
    """Read a table, or raise `MalformedTable`."""
    unlisted = table.get("unlisted", UNSUPPORTED)
    if unlisted not in (SUPPORTED, UNSUPPORTED):
        raise MalformedTable(f'unlisted: expected "{SUPPORTED}" or "{UNSUPPORTED}", found {unlisted!r}')
    unknown = set(table) - {"name", "unlisted", "ops"}
    if unknown:
        raise MalformedTable(f"{min(unknown)}: there is no such field; there are name, unlisted and ops")
    ops = table.get("ops")
    if not isinstance(ops, Mapping):
        raise MalformedTable('ops: expected a table for each operation, as in [ops."torch.conv2d"]')
    return Backend(str(table.get("name", "the backend")), {n: _capability(n, e) for n, e in ops.items()}, unlisted)


def failures(backend: Backend, ops: Iterable[UniqueOp], public: Callable[[str], str]) -> list[Failure]:
    """Return all operations that the backend can't do; `public` gives an operation its usual name."""
    failed = []
    for unique in ops:
        reasons = tuple(_reasons(backend, unique, {unique.op.op, public(unique.op.op)}))
        if reasons:
            failed.append(Failure(unique, public(unique.op.op), reasons))
    return failed


def _capability(name: str, entry: Any) -> Capability:
    if not isinstance(entry, Mapping):
        raise MalformedTable(f"ops.{name}: expected a table")
    unknown = set(entry) - _FIELDS
    if unknown:
        raise MalformedTable(
            f"ops.{name}.{min(unknown)}: there is no such field; there are {', '.join(sorted(_FIELDS))}"
        )
    for field, kind in (("dtypes", str), ("ranks", int)):
        values = entry.get(field)
        if values is not None and not (isinstance(values, list) and all(type(item) is kind for item in values)):
            raise MalformedTable(f"ops.{name}.{field}: expected a list of {kind.__name__}")
    attributes = entry.get("attributes", {})
    if not isinstance(attributes, Mapping):
        raise MalformedTable(f"ops.{name}.attributes: expected a table")
    for attribute, rule in attributes.items():
        if isinstance(rule, Mapping) and (not rule or set(rule) - {"min", "max"}):
            raise MalformedTable(f"ops.{name}.attributes.{attribute}: expected min, max or both")
    dtypes, ranks = entry.get("dtypes"), entry.get("ranks")
    return Capability(
        None if dtypes is None else frozenset(dtypes), None if ranks is None else frozenset(ranks), attributes
    )


def _reasons(backend: Backend, unique: UniqueOp, names: set[str]) -> Iterable[str]:
    matches = [p for p in backend.ops if any(fnmatch.fnmatchcase(name, p) for name in names)]
    if not matches:
        if backend.unlisted == UNSUPPORTED:
            yield "the operation is not listed"
        return
    capability = backend.ops[max(matches, key=len)]
    op = unique.op
    if capability.dtypes is not None:
        used = dict.fromkeys(value.dtype for value in (*op.inputs, *op.outputs))
        for dtype in used:
            if dtype not in capability.dtypes:
                yield f"dtype {dtype or 'unknown'} is not among {', '.join(sorted(capability.dtypes))}"
    if capability.ranks is not None and op.inputs:
        shape = op.inputs[0].shape
        if shape is None or len(shape) not in capability.ranks:
            rank = "unknown" if shape is None else len(shape)
            yield f"rank {rank} is not among {', '.join(map(str, sorted(capability.ranks)))}"
    for attribute, rule in capability.attributes.items():
        if attribute in op.attributes and not _allowed(op.attributes[attribute], rule):
            yield f"{attribute} {op.attributes[attribute]!r} is not {_words(rule)}"


def _allowed(value: Any, rule: Any) -> bool:
    if isinstance(rule, Mapping):
        numbers = value if isinstance(value, list) else [value]
        if not all(isinstance(number, (int, float)) for number in numbers):
            return False
        return all(rule.get("min", n) <= n <= rule.get("max", n) for n in numbers)
    if not isinstance(rule, list):
        return bool(value == rule)
    return value in rule or (isinstance(value, list) and bool(value) and all(item in rule for item in value))


def _words(rule: Any) -> str:
    if isinstance(rule, Mapping):
        bounds = [f"at least {rule['min']}"] if "min" in rule else []
        return " and ".join(bounds + ([f"at most {rule['max']}"] if "max" in rule else []))
    return f"among {rule}" if isinstance(rule, list) else repr(rule)
