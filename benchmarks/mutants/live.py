"""`python -m benchmarks.mutants.live`: runs programs named on standard input, and prints how each ends, a line each.

A line is the number of the program, and nothing if it ends well, or the line that raises and the exception.
"""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import traceback
import warnings

SECONDS = 20  # of processor time: other work on the machine has no influence on the result
SEEDS = 10  # of a program that draws labels or indices: it fails if one of its runs does


def ending(path: str) -> tuple[int, str]:
    """Run a program; return the line that raises, and the exception; 0 if there is none."""
    with open(path, encoding="utf-8") as file:
        code = file.read()

    def late(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(code, path, "exec"), {"__name__": "__main__", "__file__": path})
    except TimeoutError:
        return -1, "late"
    except BaseException as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        line = frames[-1].lineno if frames else getattr(error, "lineno", 0)
        text = str(error).splitlines()
        return line or -1, f"{type(error).__name__}: {text[0] if text else ''}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return 0, ""


def draws(path: str) -> bool:
    """Tell whether a program draws integers, on which it may depend whether it fails."""
    with open(path, encoding="utf-8") as file:
        return "randint" in file.read()


def main() -> None:
    """Run programs until there are no more."""
    import torch

    import benchmarks.zoo.torchvision_import  # noqa: F401  # late: it imports the framework

    torch.set_num_threads(1)
    paths = sys.stdin.read().split("\n")
    if any("keras" in path for path in paths):
        import tensorflow  # noqa: F401  # late: only some programs need it; an import that is interrupted can't be repeated
    for number, path in enumerate(paths):
        if path:
            line, text = 0, ""
            for seed in range(SEEDS if draws(path) else 1):
                torch.manual_seed(seed)
                line, text = ending(path)
                if line:
                    break
            print(f"{number}\t{line}\t{text}", flush=True)


if __name__ == "__main__":
    main()
