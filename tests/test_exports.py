"""What the package offers, and what it brings along."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

import pytest

import cutaway

ROOT = Path(__file__).resolve().parents[1]

BLOCKED = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "torchvision", "timm", "transformers", "tensorflow", "keras", "jax"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Refuse())
"""


def python(code: str) -> str:
    """Run code in a process of its own and return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_public_names() -> None:
    assert sorted(cutaway.__all__) == [
        "Architecture",
        "CutawayError",
        "__version__",
        "dumps",
        "evaluate",
        "loads",
        "observe",
        "show",
        "summary",
    ]
    assert dir(cutaway) == sorted(cutaway.__all__)


@pytest.mark.parametrize("name", cutaway.__all__)
def test_each_public_name_is_there(name: str) -> None:
    assert getattr(cutaway, name) is not None


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'explode'"):
        cutaway.explode  # noqa: B018


def test_importing_brings_nothing_heavy() -> None:
    loaded = python(
        "import sys, cutaway; print(*[m for m in sys.modules if m.startswith(('numpy', 'cutaway'))])"
    ).split()
    assert sorted(loaded) == ["cutaway", "cutaway.core", "cutaway.core.import_path"]


def test_asking_for_the_version_brings_nothing_heavy() -> None:
    loaded = python(
        "import sys\nfrom cutaway.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(*[m for m in sys.modules if m.startswith(('numpy', 'cutaway.knowledge', 'cutaway.interp'))])"
    )
    assert loaded.split() == ["cutaway", cutaway.__version__]


def test_a_network_without_small_tensors_needs_no_numpy() -> None:
    loaded = python(
        "import sys, cutaway\n"
        "cutaway.show('examples/classifier.py::Classifier', input='1x3x32x32')\n"
        "print('numpy' in sys.modules)"
    )
    assert loaded.strip() == "False"


def test_a_network_of_a_package_that_imports_numpy_needs_none() -> None:
    if find_spec("torchvision") is None:
        pytest.skip("the source of torchvision is not installed: pip install --no-deps torchvision")
    loaded = python(
        "import sys, cutaway\n"
        "cutaway.show('torchvision.models.resnet:resnet18', input='1x3x224x224')\n"
        "print('numpy' in sys.modules)"
    )
    assert loaded.strip() == "False"


def test_no_framework_is_needed_or_imported() -> None:
    shown = python(
        f"{BLOCKED}\nimport cutaway\n"
        "(network,) = cutaway.show('examples/classifier.py::Classifier', input='1x3x32x32')\n"
        "print(network.totals.parameters, network.outputs[0].shape)"
    )
    assert shown == "870698 (1, 10)\n"


def test_a_framework_that_is_installed_is_not_imported() -> None:
    loaded = python(
        "import sys, cutaway\n"
        "cutaway.show('examples/encoder.py::small()', input='2x16:int64')\n"
        "print(*[m for m in sys.modules if m.partition('.')[0] in ('torch', 'torchvision', 'timm', 'einops')])"
    )
    assert loaded.strip() == ""


def test_installing_brings_only_numpy_and_yaml() -> None:
    try:
        needed = requires("cutaway") or []
    except PackageNotFoundError:
        pytest.skip("cutaway is not installed, only on the path")
    assert [r for r in needed if "extra ==" not in r] == ["numpy>=1.26", "pyyaml>=6"]
