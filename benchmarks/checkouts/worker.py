"""Run jobs with whichever `cutaway` the environment finds first: JSON lines in, JSON lines out.

This file imports nothing of the checkout that it stands in, so that it can serve any of them.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON form of what a job shows, or its error."""
    import cutaway

    outside = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in job["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        os.chdir(folder)
        try:
            options = {key: job[key] for key in ("input", "set", "path", "assume")}
            text = cutaway.dumps(cutaway.show(job["target"], **options))
            document: dict[str, Any] = json.loads(text.replace(os.path.realpath(folder), "."))
        except cutaway.CutawayError as error:
            return {"error": str(error)}
        finally:
            os.chdir(outside)
    return document


def main() -> None:
    """Answer each line of standard input with one line on standard output."""
    for line in sys.stdin:
        answer = json.dumps(run(json.loads(line)))
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()
        gc.collect()


if __name__ == "__main__":
    main()
