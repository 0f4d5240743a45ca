"""Files beside docs/ that its pages link to become part of the site, and the links lead there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\((?P<up>(?:\.\./)+)(?P<path>[^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add documents, examples and the schema."""
    added = [*ROOT.glob("*.md"), *ROOT.glob("examples/*.py"), *ROOT.glob("src/cutaway/report/schema.json")]
    for path in added:
        name = path.relative_to(ROOT).as_posix()
        if name != "README.md":  # docs/index.md is the first page
            files.append(File.generated(config, f"project/{name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let links that leave docs/ lead to the copies."""
    here = Path(page.file.src_uri)
    depth = len(here.parts) - 1
    in_project = here.parts[0] == "project"

    def led(match: re.Match[str]) -> str:
        levels = match["up"].count("../")
        if in_project or levels <= depth:
            return match[0]
        target = "examples/classifier.py" if match["path"].rstrip("/") == "examples" else match["path"]
        return f"]({'../' * depth}project/{target}"

    linked = _LINK.sub(led, markdown)
    return re.sub(r"\]\(docs/", "](../", linked) if in_project else linked
