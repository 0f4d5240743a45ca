"""`cutaway ops`: the unique operations of networks, ranked over them, or checked against a backend."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.inventory import one, ops_of
from cutaway.commands.options import add_output, add_target
from cutaway.commands.output import exit_code, warn, write
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    ops = commands.add_parser(
        "ops",
        help="list the distinct operations of networks",
        description="List the distinct operations of a network: those that differ in name, attributes, shapes or element "
        "types. With several targets, the operations that most of them use come first.",
        epilog="exit code: 0 on success, 1 if the backend does not support all operations, or a network has faults or, with "
        "--strict, unknowns, 2 on error",
    )
    add_target(ops, several=True)
    ops.add_argument("--format", choices=("text", "json", "csv", "pytest"), default="text", help="default: text")
    ops.add_argument(
        "--backend", metavar="TABLE.toml", help="check operations against a table of what a backend supports"
    )
    add_output(ops)
    ops.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    backend = _backend(options.backend) if options.backend else None
    networks = [_with_forward(one(options, target), target) for target in options.target]
    if backend is not None:
        return _check(networks, backend, options)
    write(_render(networks, options), options.output)
    if options.format == "csv":
        warn(networks, options)
    return exit_code(options, networks)


def _with_forward(architecture: Architecture, target: str) -> Architecture:
    """Return a network if something is known of what it computes."""
    from cutaway.passes.cost import was_followed  # late: --help needs none of it

    if not architecture.ops and not was_followed(architecture):
        faults = [f"{fault.place}: {fault.message} [{fault.code}]" for fault in architecture.diagnostics]
        why = "; ".join((faults or [note.text for note in architecture.unknowns])[:2])
        error = CutawayError(f"{target}: no operations are known{': ' if why else ''}{why}")
        error.exit_code = 1 if faults else error.exit_code
        raise error
    return architecture


def _render(networks: list[Architecture], options: argparse.Namespace) -> str:
    # late: --help needs none of it
    from cutaway.passes.completeness import all_incompleteness
    from cutaway.passes.unique_ops import rank, unique_ops
    from cutaway.report import inventory, inventory_text, pytest_file

    if options.format == "pytest":
        from cutaway.knowledge.torch import op_source, public_names  # late: only one output form needs them

        public_names.load()
        ops = unique_ops(op for architecture in networks for op in architecture.ops)
        return pytest_file.render(", ".join(options.target), ops, op_source.call_of, all_incompleteness(networks))
    documents = [ops_of(architecture, options) for architecture in networks]
    if options.format == "csv":
        return inventory_text.ops_csv(list(zip(options.target, documents)))
    if options.format == "json":
        if len(networks) == 1:
            return inventory.dumps(documents[0]) + "\n"
        ranked = [
            {"op_name": r.name, "networks": r.networks, "count": r.count, "variants": r.variants}
            for r in rank(networks)
        ]
        document = {
            "ranking": ranked,
            "incomplete": all_incompleteness(networks),
            "targets": dict(zip(options.target, documents)),
        }
        return inventory.dumps(document) + "\n"
    if len(networks) == 1:
        return inventory_text.ops_text(documents[0])
    return inventory_text.ranking_text(rank(networks), len(networks), all_incompleteness(networks))


def _check(networks: list[Architecture], backend: Any, options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.knowledge.torch import public_names
    from cutaway.passes.backend import failures
    from cutaway.passes.completeness import all_incompleteness
    from cutaway.passes.unique_ops import unique_ops
    from cutaway.report import inventory, inventory_text

    public_names.load()
    ops = unique_ops(op for architecture in networks for op in architecture.ops)
    failed = failures(backend, ops, public_names.public_name)
    if options.format == "json":
        rows = [{"op_name": f.name, "reasons": list(f.reasons), "count": len(f.op.occurrences)} for f in failed]
        document = {
            "backend": backend.name,
            "unique_ops": len(ops),
            "failures": rows,
            "incomplete": all_incompleteness(networks),
        }
        text = inventory.dumps(document) + "\n"
    else:
        text = inventory_text.failures_text(failed, backend.name, len(ops), all_incompleteness(networks))
    write(text, options.output)
    return exit_code(options, networks, otherwise=1 if failed else 0)


def _backend(path: str) -> Any:
    from cutaway.passes.backend import MalformedTable, read_table  # late: --help needs none of it

    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        try:
            import tomli as tomllib
        except ModuleNotFoundError:
            raise CutawayError("--backend needs Python 3.11, or tomli: pip install tomli") from None
    try:
        with open(path, "rb") as file:
            return read_table(tomllib.load(file))
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    except (MalformedTable, ValueError, RecursionError) as error:  # tomllib lets some of its own through
        raise CutawayError(f"{path}: {error}") from None
