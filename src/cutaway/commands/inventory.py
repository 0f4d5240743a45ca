"""One network of a target, and the documents of its unique modules and operations."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.options import architectures, only
from cutaway.core.architecture import Architecture
from cutaway.passes.unique_modules import FULL
from cutaway.report.inventory import NUMBERED, Origin, modules_document, ops_document

MODULES = "unique_modules.json"


def one(options: argparse.Namespace, target: str) -> Architecture:
    """Return the only network of a target."""
    return only(architectures(options, target), target)


def modules_of(
    architecture: Architecture, options: argparse.Namespace, *, key: str = FULL, ids: str = NUMBERED
) -> dict[str, Any]:
    """Return the document of unique modules."""
    from cutaway.knowledge.torch import public_names  # late: it registers the rows of a framework

    home, _, expression = architecture.target.partition("::" if "::" in architecture.target else ":")
    expression = expression or architecture.name
    origin = Origin(f"{home}:{expression}", expression.partition("(")[0], "live" if options.live else "static")
    return modules_document(architecture, origin, key=key, ids=ids, expand=public_names.as_attributes)


def ops_of(architecture: Architecture, options: argparse.Namespace, *, ids: str = NUMBERED) -> dict[str, Any]:
    """Return the document of unique operations."""
    from cutaway.knowledge.torch import public_names  # late: it registers the rows of a framework

    public_names.load()
    modules = modules_of(architecture, options, ids=ids)
    return ops_document(architecture, modules, source=MODULES, public=public_names.public_name)
