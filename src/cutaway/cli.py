"""The command line."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from cutaway import __version__
from cutaway.core.error import CutawayError, InternalError, internal
from cutaway.core.message import print_message
from cutaway.core.progress import PROGRESS
from cutaway.isolation.channel import CHANNEL, SAID
from cutaway.isolation.child_process import FAILED
from cutaway.isolation.command import INTERRUPTED

COMMANDS = {
    "show": "show",
    "view": "view",
    "serve": "serve",
    "memory": "memory",
    "unique": "unique",
    "ops": "ops",
    "verify": "verify",
    "diff": "diff",
    "fingerprint": "diff",
    "scan": "scan",
    "recover": "recover",
    "fit": "fit",
    "doctor": "doctor",
    "check": "check",
    "rule": "check",
    "completion": "completion",
}
"""The module of `commands` that defines each command; only that of the requested command is imported."""
CLEAN = 0
_ALIKE = 0.75
"""How alike an option must be to one that there is, to be taken for a typing error."""
_FAILED_WITH: list[BaseException] = []
"""What a command failed with: a process that ends does not take apart all that its frames hold, which may take seconds."""
_VERSION = "--version"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command in this process and return its exit code: 0 clean, 1 faults found, 2 failed."""
    return _run(_parse(sys.argv[1:] if arguments is None else arguments))


def program() -> int:
    """Run a command as a process of its own, behind the wall; the user's own code, if it runs, is not restricted."""
    try:
        options = _parse(sys.argv[1:])
    except SystemExit as ended:  # --help, --version, or a usage error
        return ended.code if isinstance(ended.code, int) else CLEAN
    options.isolated = not os.environ.get("CUTAWAY_DEBUG")
    return _run(options)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; `-::Net` looks like an option but is a target, so it is moved after all options.

    What follows `--` is the command line of the target.
    """
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    own, argv = arguments[:end], arguments[end + 1 :]
    targets = [text for text in own if text.startswith("-::")]
    rest = [text for text in own if not text.startswith("-::")]
    command = _VERSION if rest[:1] == [_VERSION] else next((text for text in rest if not text.startswith("-")), "")
    leads_with_option = rest[:1] and rest[0].startswith("--") and rest[0] not in ("--help", _VERSION)
    if command not in (*COMMANDS, _VERSION) and (targets or _is_target(command) or leads_with_option):
        rest, command = ["show", *rest], "show"
    options, unknown = _parser(command).parse_known_args([*rest, "--", *targets] if targets else rest)
    if unknown:
        _refuse(unknown, command)
    options.argv = list(argv) if end < len(arguments) else None
    return options


def _is_target(word: str) -> bool:
    """Tell whether a word in the place of a command is a target: a file or a folder, or written as one."""
    return bool(word) and (any(sign in word for sign in "./:\\") or os.path.exists(word))


def _refuse(unknown: Sequence[str], command: str) -> NoReturn:
    """End with the options that there are not, and the nearest that there is."""
    from difflib import get_close_matches

    (word, *_) = unknown
    name = word.partition("=")[0]
    parser = _parser(command)
    known = [option for each in subparsers(parser).values() for option in each._option_string_actions]
    near = get_close_matches(name, known, 1, _ALIKE) if name.startswith("--") else []
    hint = f"; did you mean {near[0]}?" if near else _elsewhere(name)
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")


def _elsewhere(name: str) -> str:
    """Say which commands have an option that the one in question does not have."""
    commands = [command for command, each in subparsers(_parser("")).items() if name in each._option_string_actions]
    return f"; {name} is an option of {', '.join(commands)}" if commands and name.startswith("--") else ""


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by name."""
    return {
        name: each
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, each in action.choices.items()
    }


def _run(options: argparse.Namespace) -> int:
    was_enabled = gc.isenabled()
    gc.disable()  # one command creates little garbage and ends; collecting would cost more than it frees
    try:
        if hasattr(options, "timeout") and not options.quiet:
            PROGRESS.show_on(sys.stderr)
        if CHANNEL.is_open and hasattr(options, "timeout"):
            from cutaway.commands.isolated import isolate  # late: other commands read no target

            isolate(options)
        return int(options.run(options))
    except CutawayError as error:
        if isinstance(error, InternalError) and os.environ.get("CUTAWAY_DEBUG"):
            raise
        _print_error(str(error))
        if CHANNEL.is_open:
            _FAILED_WITH.append(error)
        return error.exit_code
    except KeyboardInterrupt:
        _print_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return CLEAN
    except MemoryError:
        _print_error("there is not enough memory to show this")
        return FAILED
    except BaseException as error:  # SystemExit too: no exception of the target ends the process
        if os.environ.get("CUTAWAY_DEBUG"):
            raise
        _print_error(str(internal(error)))
        return FAILED
    finally:
        PROGRESS.clear()
        if was_enabled:
            gc.enable()


def _print_error(message: str) -> None:
    """Print what went wrong, in the characters that the error stream can encode."""
    print_message(message)
    if CHANNEL.is_open:
        CHANNEL.send(SAID)  # should the process be ended before it ends, there is nothing to add


class _Parser(argparse.ArgumentParser):
    """A parser that determines the terminal's width itself: argparse imports much for that.

    A command that there is not is answered with the nearest.
    """

    def error(self, message: str) -> NoReturn:
        match = re.search(r"argument COMMAND: invalid choice: '([^']*)'", message)
        if match:
            from difflib import get_close_matches

            near = get_close_matches(match.group(1), COMMANDS, 1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
            message = f"{match.group(1)} is not a command or a target; {hint}"
        super().error(message)

    def _get_formatter(self) -> argparse.HelpFormatter:
        return self.formatter_class(prog=self.prog, width=_columns() - 2)  # type: ignore[call-arg]


def _columns() -> int:
    with suppress(OSError, ValueError):
        return int(os.environ.get("COLUMNS", "")) or 80
    with suppress(OSError, ValueError):
        return os.get_terminal_size().columns or 80
    return 80


def _parser(command: str) -> argparse.ArgumentParser:
    """Return a parser for one command, for none to show the version, or for all where there is no such command."""
    parser = _Parser(
        prog="cutaway",
        description="Show what is inside a neural network without running it.",
        epilog="`cutaway model.py` is `cutaway show model.py`; `cutaway COMMAND --help` lists the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"cutaway {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", prog="cutaway")
    if command == _VERSION:
        return parser
    for module in (
        [COMMANDS[command]] if command in COMMANDS and command != "completion" else dict.fromkeys(COMMANDS.values())
    ):
        import_module(f"cutaway.commands.{module}").add(commands)
    return parser
