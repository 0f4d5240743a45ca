"""Networks in a notebook: one is executed by a real kernel, and what it shows is opened in the browser."""

from __future__ import annotations

import html
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.page.conftest import SCREEN

NETWORK = '''
import torch.nn as nn


class Net(nn.Module):
    """</script><script>alert(1)</script>"""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU())
        self.add_module("<img src=x onerror=alert(2)>", nn.Linear(8, 4))

    def forward(self, x):
        return self.features(x)
'''
CELLS = (
    "import cutaway",
    '(network,) = cutaway.show("net.py::Net", input="1x3x16x16")\nnetwork',
    'cutaway.summary("net.py::Net", input_size=(1, 3, 16, 16))',
    "print(network)",
)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return an executed notebook."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install '.[notebook]'")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: pip install '.[notebook]'")
    nbformat = pytest.importorskip("nbformat")
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "net.py").write_text(NETWORK, encoding="utf-8")
    kernels = folder / "kernels" / "own"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text(
        f'{{"argv": ["{sys.executable}", "-m", "ipykernel_launcher", "-f", "{{connection_file}}"], "display_name": "own", '
        '"language": "python"}'
    )
    patch = pytest.MonkeyPatch()
    patch.setenv("JUPYTER_PATH", str(folder))
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    executed = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(
        executed, timeout=120, kernel_name="own", resources={"metadata": {"path": str(folder)}}
    ).execute()
    patch.undo()
    return executed


def shown(notebook: Any, cell: int) -> str:
    """Return the HTML that a cell shows."""
    (output,) = [each for each in notebook.cells[cell].outputs if each.output_type == "execute_result"]
    return str(output.data["text/html"])


def test_a_network_is_the_page(notebook: Any, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "cell.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{shown(notebook, 1)}</body>", encoding="utf-8")
    context = browser.new_context(viewport=SCREEN)
    page = context.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("svg[data-ready]").first.wait_for(timeout=30_000)
    titles = [text.strip() for text in frame.locator("g.node > text.title").all_text_contents()]
    assert any("Sequential" in title or "features" in title for title in titles), titles
    assert page.locator("body > *").count() == 1  # nothing gets out of the frame
    assert frame.locator("img").count() == 0
    assert not dialogs
    context.close()


def test_the_frame_runs_nothing_but_the_page(notebook: Any) -> None:
    frame = shown(notebook, 1)
    opening = frame[: frame.index("srcdoc=")]
    assert 'sandbox="allow-scripts"' in opening
    assert "<" not in frame[1 : frame.rindex("</iframe>")]  # all text of the page is quoted
    assert html.unescape(frame).count("<script>alert(1)") == 0


def test_a_summary_is_the_page_too(notebook: Any) -> None:
    assert shown(notebook, 2).startswith("<iframe")


def test_a_printed_network_is_the_table(notebook: Any) -> None:
    text = "".join(output.text for output in notebook.cells[3].outputs)
    assert text.splitlines()[0].startswith("Net  net.py::Net  pytorch")
    assert "Conv2d" in text
