"""`cutaway completion`: a script that completes commands, options and their values in a shell."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from cutaway.commands.output import write

SHELLS = ("bash", "zsh", "fish")


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    completion = commands.add_parser(
        "completion",
        help="print a script for completion in a shell",
        description="Print a script that completes commands, options and their values: "
        'eval "$(cutaway completion bash)" in ~/.bashrc, or the same with zsh; cutaway completion fish | source in fish.',
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=_run, commands=commands)


def _run(options: argparse.Namespace) -> int:
    parsers = options.commands.choices
    write({"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell](parsers), None)
    return 0


def _options(parser: argparse.ArgumentParser) -> dict[str, tuple[list[str], str]]:
    """Return the long options of a command, with their values and what they are for."""
    found: dict[str, tuple[list[str], str]] = {}
    for action in parser._actions:
        for name in action.option_strings:
            if name.startswith("--"):
                found[name] = ([str(each) for each in action.choices or ()], action.help or "")
    return found


def _bash(parsers: dict[str, argparse.ArgumentParser]) -> str:
    cases, values = [], []
    for command, parser in parsers.items():
        options = _options(parser)
        cases.append(f"    {command}) options={shlex.quote(' '.join(options))};;")
        values += [
            f'    {command},{name}) COMPREPLY=($(compgen -W {shlex.quote(" ".join(choices))} -- "$word")); return;;'
            for name, (choices, _) in options.items()
            if choices
        ]
    return "\n".join(
        [
            "_cutaway() {",
            '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}" options=""',
            '  case "$command,$before" in',
            *values,
            "  esac",
            '  case "$command" in',
            *cases,
            "  esac",
            f'  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W {shlex.quote(" ".join(parsers))} -- "$word") $(compgen -f -- "$word"))',
            '  elif [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))',
            '  else COMPREPLY=($(compgen -f -- "$word")); fi',
            "}",
            "complete -o filenames -F _cutaway cutaway",
            "",
        ]
    )


def _zsh(parsers: dict[str, argparse.ArgumentParser]) -> str:
    return "autoload -U +X bashcompinit && bashcompinit\n" + _bash(parsers)


def _fish(parsers: dict[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c cutaway -n __fish_use_subcommand -a {shlex.quote(' '.join(parsers))}"]
    for command, parser in parsers.items():
        for name, (choices, words) in _options(parser).items():
            values = f" -x -a {shlex.quote(' '.join(choices))}" if choices else ""
            about = words.partition(":")[0].replace("%%", "%")
            lines.append(
                f"complete -c cutaway -n '__fish_seen_subcommand_from {command}' -l {name[2:]}{values} -d {shlex.quote(about)}"
            )
    return "\n".join([*lines, ""])
