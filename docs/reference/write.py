"""Writes the reference pages: every command with its options, and every field of the JSON format.

python docs/reference/write.py
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from cutaway import cli

HERE = Path(__file__).resolve().parent
SCHEMA = HERE.parents[1] / "src" / "cutaway" / "report" / "schema.json"


def commands() -> str:
    """Return the page of the commands, each with its arguments and options."""
    parts = ["# Commands\n\n`cutaway COMMAND --help` prints the same. `cutaway TARGET` is `cutaway show TARGET`.\n"]
    for name, command in cli.subparsers(cli._parser("")).items():
        positional = " ".join(_metavar(each) for each in command._actions if not each.option_strings)
        usage = f"cutaway {name} [OPTIONS] {positional}".rstrip()
        rows = [
            f"| `{_title(each)}` | {_cell(each.help or '')} |"
            for each in command._actions
            if each.help is not argparse.SUPPRESS and each.dest != "help"
        ]
        table = ["| argument | meaning |", "|---|---|", *rows]
        parts.append(f"## {name}\n\n    {usage}\n\n{command.description}\n\n" + "\n".join(table) + "\n")
        if command.epilog:
            parts.append(f"{command.epilog[0].upper()}{command.epilog[1:]}.\n")
    return "\n".join(parts)


def _metavar(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    return {"*": f"[{name}...]", "+": f"{name}...", "?": f"[{name}]"}.get(str(action.nargs), name)


def _title(action: argparse.Action) -> str:
    if not action.option_strings:
        return _metavar(action)
    takes_value = action.nargs != 0
    value = "\\|".join(map(str, action.choices)) if action.choices and not action.metavar else _metavar(action)
    return ", ".join(action.option_strings) + (f" {value}" if takes_value else "")


def schema() -> str:
    """Return the page of the JSON format: a table of fields for each kind of object."""
    document = json.loads(SCHEMA.read_bytes())
    parts = [
        f"# Fields of the JSON format\n\n{document['description']} The format is explained in [JSON format](../json.md).\n"
    ]
    for name, kind in {"document": document, **document["$defs"]}.items():
        parts.append(f"## {name}\n")
        if kind.get("description"):
            parts.append(f"{kind['description']}\n")
        if "properties" in kind:
            rows = [
                f"| `{field}` | {_type(each)} | {_cell(each.get('description', ''))} |"
                for field, each in kind["properties"].items()
            ]
            parts.append("\n".join(["| field | type | content |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _type(kind: dict[str, Any]) -> str:
    if "$ref" in kind:
        name = kind["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in kind:
        return f"`{kind['const']}`"
    if "enum" in kind:
        return ", ".join(f"`{json.dumps(each)}`" for each in kind["enum"])
    if "anyOf" in kind or "oneOf" in kind:
        return " or ".join(_type(each) for each in kind.get("anyOf") or kind["oneOf"])
    names = kind.get("type", "any")
    text = " or ".join([names] if isinstance(names, str) else names)
    return f"{text} of {_type(kind['items'])}" if isinstance(kind.get("items"), dict) else text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


PAGES = {"commands.md": commands, "schema.md": schema}


def main() -> None:
    """Write the pages."""
    for name, write in PAGES.items():
        (HERE / name).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
