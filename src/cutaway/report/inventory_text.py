"""Unique modules and operations as text, and as rows of a CSV file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.passes.backend import Failure
from cutaway.passes.unique_ops import Ranked
from cutaway.report.inventory import shape_text

_LONGEST = 60


def modules_text(document: Mapping[str, Any]) -> str:
    """Return unique modules, and what the weaker key would merge wrongly."""
    rows = [
        (
            record["id"],
            record["class_name"] or "?",
            _number(record.get("count", len(record["occurrences"]))),
            _shapes(record["input_shapes"]),
            _shapes(record["output_shapes"]),
            record["module_path"],
        )
        for record in document["modules"]
    ]
    counts = document["metadata"]
    lines = [_table(("id", "class", "count", "inputs", "outputs", "first path"), rows)]
    lines.append(f"\n{counts['unique_modules']} unique modules of {counts['total_modules']}\n")
    if counts["incomplete"]:
        lines.append(f"{counts['incomplete']}\n")
    merges = document["merged_by_weaker_key"]
    if merges:
        lines.append(f"\nThe weaker key, --key tt, takes these for the same ({len(merges)}):\n")
        for merge in merges:
            alike = "; ".join(", ".join(paths[:3]) + (" ..." if len(paths) > 3 else "") for paths in merge["modules"])
            lines.append(
                f"  {merge['class_name'] or '?'}: {_cut(alike)} ({'; '.join(map(_cut, merge['differences']))})\n"
            )
    return "".join(lines)


def _number(count: Any) -> str:
    return "?" if count is None else str(count)


def ops_text(document: Mapping[str, Any]) -> str:
    """Return unique operations."""
    rows = [
        (
            op["id"],
            op["op_name"],
            _number(op["count"]),
            _shapes([t["shape"] for t in op["tensor_types"]["inputs"]]),
            op["tensor_types"]["output"]["shape"] if op["tensor_types"]["output"] else "",
            _cut(", ".join(f"{name}={_value(value)}" for name, value in op["attributes"].items())),
        )
        for op in document["ops"]
    ]
    counts = document["metadata"]
    table = _table(("id", "operation", "count", "inputs", "output", "attributes"), rows)
    incomplete = f"{counts['incomplete']}\n" if counts["incomplete"] else ""
    return f"{table}\n{counts['unique_ops']} unique operations of {counts['total_ops']}\n{incomplete}"


def ops_csv(documents: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return a row for each unique operation of each target."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = "target id op_name count macs inputs input_dtypes output output_dtype attributes modules sources"
    writer.writerow(names.split())
    for target, document in documents:
        for op in document["ops"]:
            types = op["tensor_types"]
            made = types["output"] or {"shape": "", "dtype": ""}
            modules = dict.fromkeys(each["module_path"] for each in op["occurrences"])
            sources = dict.fromkeys(each["source"] for each in op["occurrences"] if each["source"])
            writer.writerow(
                _cell(value)
                for value in (
                    target,
                    op["id"],
                    op["op_name"],
                    op["count"],
                    op["macs"],
                    ";".join(tensor["shape"] for tensor in types["inputs"]),
                    ";".join(tensor["dtype"] for tensor in types["inputs"]),
                    made["shape"],
                    made["dtype"],
                    json.dumps(op["attributes"]),
                    ";".join(modules),
                    ";".join(sources),
                )
            )
    return out.getvalue()


def _cell(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") and value[1:] else value


def ranking_text(ranked: Sequence[Ranked], networks: int, incomplete: Sequence[str] = ()) -> str:
    """Return the operations of several networks, those that most of them have first, and which are incomplete."""
    rows = [(each.name, f"{each.networks} of {networks}", str(each.count), str(each.variants)) for each in ranked]
    table = _table(("operation", "networks", "count", "variants"), rows)
    return table + ("\n" + "".join(f"{line}\n" for line in incomplete) if incomplete else "")


def failures_text(failures: Sequence[Failure], backend: str, total: int, incomplete: Sequence[str] = ()) -> str:
    """Return every operation that a backend can't do, with all reasons and where it occurs."""
    lines = []
    for failure in failures:
        op = failure.op.op
        shapes = ", ".join(shape_text(value.shape) for value in op.inputs)
        lines.append(f"{failure.name}({shapes})  {len(failure.op.occurrences)} times")
        lines.extend(f"  {reason}" for reason in failure.reasons)
        places = dict.fromkeys(str(e.op.source) if e.op.source else e.op.module for e in failure.op.occurrences)
        lines.append(f"  at {', '.join(list(places)[:3])}{' ...' if len(places) > 3 else ''}")
    lines.append(f"{len(failures)} of {total} unique operations can't be done by {backend}")
    lines.extend(incomplete)
    return "\n".join(lines) + "\n"


def _shapes(shapes: Sequence[str]) -> str:
    return _cut(", ".join(shape or "()" for shape in shapes), 40)


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _plain(cell: str) -> str:
    """Return a cell without line breaks and other characters that a terminal obeys."""
    return cell if cell.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cell)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rows = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in (head, *rows)]
    return "\n".join(lines) + "\n"
