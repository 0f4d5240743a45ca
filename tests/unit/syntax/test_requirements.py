"""Which packages an installed one may import: what it requires, and of its options what its source names."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.syntax.requirements import Requirements


def install(site: Path, name: str, requires: tuple[str, ...] = (), source: str = "") -> None:
    """Install a distribution with one package of its name."""
    (site / name).mkdir()
    (site / name / "__init__.py").write_text(source)
    described = site / f"{name}-1.0.dist-info"
    described.mkdir()
    lines = [f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {each}" for each in requires)]
    (described / "METADATA").write_text("\n".join(lines) + "\n\nA description.\n")
    (described / "RECORD").write_text(f"{name}/__init__.py,,\n{name}-1.0.dist-info/METADATA,,\n")


def may_import(site: Path, package: str, other: str) -> bool | None:
    return Requirements(lambda name: str(site / name) if (site / name).is_dir() else None).may_import(package, (other,))


def test_what_is_required_may_be_imported_whatever_the_source_names(tmp_path: Path) -> None:
    install(tmp_path, "used")
    install(tmp_path, "tool", ("used>=1",))
    assert may_import(tmp_path, "tool", "used") is True


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("value = 1\n", False),
        ("# the result of used is ignored\n", False),
        ("import os, used\n", True),
        ("try:\n    from used import part\nexcept ImportError:\n    part = None\n", True),
        ("try: import used\nexcept ImportError: pass\n", True),
        ("import os, \\\n    used\n", True),
        ("import importlib\nimportlib.import_module('used')\n", True),
    ],
)
def test_an_option_may_be_imported_where_the_source_names_it(tmp_path: Path, source: str, expected: bool) -> None:
    install(tmp_path, "used")
    install(tmp_path, "tool", ("used; extra == 'dev'",), source)
    assert may_import(tmp_path, "tool", "used") is expected


@pytest.mark.parametrize(("source", "expected"), [("value = 1\n", False), ("import between\n", True)])
def test_an_option_leads_to_what_it_requires(tmp_path: Path, source: str, expected: bool) -> None:
    install(tmp_path, "used")
    install(tmp_path, "between", ("used",))
    install(tmp_path, "tool", ("between; extra == 'dev'",), source)
    assert may_import(tmp_path, "tool", "used") is expected


def test_a_distribution_whose_package_has_another_name_is_found_by_that(tmp_path: Path) -> None:
    install(tmp_path, "used")
    install(tmp_path, "between", ("used",))
    (tmp_path / "between-1.0.dist-info" / "RECORD").write_text("other_name/__init__.py,,\n")
    install(tmp_path, "tool", ("between; extra == 'dev'",), "import other_name\n")
    assert may_import(tmp_path, "tool", "used") is True


def test_a_requirement_that_is_declared_twice_is_no_option(tmp_path: Path) -> None:
    install(tmp_path, "used")
    install(tmp_path, "tool", ("used", "used[more]; extra == 'dev'"))
    assert may_import(tmp_path, "tool", "used") is True


def test_of_what_is_not_installed_with_a_distribution_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    assert may_import(tmp_path, "tool", "used") is None
