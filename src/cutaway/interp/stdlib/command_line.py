"""`argparse`: a program is started with the arguments that the user gives, or else without any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.admission import is_deaf
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Unknown, decisions
from cutaway.interp.boundary.gate import NO_ADDRESS, is_writable_kind
from cutaway.interp.modules import loader
from cutaway.interp.run.iteration import counted
from cutaway.interp.stdlib.allow_list import public_names
from cutaway.interp.stdlib.filesystem.open_files import read_bytes, read_text
from cutaway.interp.stdlib.modules import stdlib_module

_MAX_CHOICES = 8


class GivenArguments(list[str]):
    """`sys.argv`: the arguments are known, but not the name that the program is started with."""

    def __getitem__(self, index: Any) -> Any:
        if index == 0:
            return Unknown("how the program is started is unknown", session.current().place(), term=SOMETHING)
        return super().__getitem__(index)


def _given_arguments() -> list[str] | None:
    """Return the arguments that the program is started with, None where nobody has given any.

    They are those of the user, or a list that the program itself has put into `sys.argv`.
    """
    line: Any = getattr(loader.current().modules.get("sys"), "argv", session.current().command_line)
    return (
        list(line[1:])
        if type(line) in (list, tuple, GivenArguments) and all(isinstance(word, str) for word in line)
        else None
    )


@stdlib_module("argparse")
def _argparse() -> dict[str, Any]:
    import argparse

    class Namespace(argparse.Namespace):
        """What the arguments are attributes of."""

        __array_interface__ = NO_ADDRESS

    class ArgumentParser(argparse.ArgumentParser):
        """A parser of the program's command line; required arguments that are not in it are unknown."""

        def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            return super().parse_args(self._command_line(args), namespace)

        def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            _check_namespace(namespace)
            for action in self._actions:
                if isinstance(action, (argparse._AppendAction, argparse._AppendConstAction)):
                    if action.default is not None and type(action.default) is not list:
                        action.default = list(counted(action.default))  # would be copied in a way of its own
            given = self._command_line(args)
            return super().parse_known_args(given, Namespace() if namespace is None else namespace)

        def _command_line(self, args: Any) -> Any:
            given = _given_arguments()
            if not _is_rest(args, given):
                return args
            self._make_arguments_optional()
            _make_optional(self._actions)
            if given is None:
                _list_subcommands(self._actions)
                session.current().assume(
                    "the program is started without command-line arguments", doubt=session.COMMAND_LINE
                )
            return _words_of(args, given)

        def _make_arguments_optional(self) -> None:
            groups = [group for group in self._mutually_exclusive_groups if group.required]
            required = [action for action in self._actions if action.required]
            for action in (*required, *(action for group in groups for action in group._group_actions)):
                if action.dest not in (None, argparse.SUPPRESS):
                    action.default = Unknown(_how_to_give(action), session.current().place())
            if len(required) == 1 and not groups:
                decisions().command_lines = [_words(required[0], choice) for choice in _choices(required[0])]
            for action in required:
                action.required = False
            for group in groups:
                group.required = False

        def add_subparsers(self, **options: Any) -> Any:
            _check_subcommands(options, ArgumentParser, self)
            return super().add_subparsers(**options)

        def _read_args_from_files(self, arg_strings: Any) -> Any:
            return _with_files(self, arg_strings)

        def _print_message(self, message: str, file: Any = None) -> None:
            pass

        def exit(self, status: int = 0, message: str | None = None) -> Any:
            raise SystemExit(status)

        def error(self, message: str) -> Any:
            raise ValueError(f"the program's command line: {message}")

    table = public_names("argparse")
    table.update(ArgumentParser=ArgumentParser, Namespace=Namespace)
    table["FileType"] = _file_type
    return table


def _check_namespace(namespace: Any) -> None:
    """Raise where the arguments would be set on an object that the host shares, or that could tell numpy an address."""
    kind = type(namespace)
    is_plain = is_writable_kind(kind) and is_deaf(kind) and kind is not type and not callable(namespace)
    if namespace is not None and (isinstance(namespace, type) or not is_plain):
        raise TypeError("the namespace of a command line must be a plain object")


def _is_rest(args: Any, given: list[str] | None) -> bool:
    """Tell whether arguments are the command line, or may be what another parser has left of it."""
    is_list = type(args) is list
    return args is None or (is_list and all(type(word) is str and word in (given or ()) for word in args))


def _words_of(args: Any, given: list[str] | None) -> Any:
    return given or [] if args is None else args


def _with_files(parser: Any, words: Sequence[str]) -> list[str]:
    """Put the arguments that a file holds, a line for each, in the place of its name."""
    found: list[str] = []
    for word in words:
        if not word or word[0] not in (parser.fromfile_prefix_chars or ""):
            found.append(word)
            continue
        content = read_bytes(word[1:])
        if type(content) is Unknown:
            parser.error(content.reason)
        for line in content.decode("utf-8", "replace").splitlines():
            found += _with_files(parser, list(counted(parser.convert_arg_line_to_args(line))))
    return found


def _file_type(mode: str = "r", *_args: Any, **_kwargs: Any) -> Callable[[Any], Any]:
    """Stand in for `argparse.FileType`: a file whose name is on the command line is read, as text, or is unknown."""
    return lambda name: read_text(name, mode)


def _subcommands(actions: Sequence[Any]) -> list[Any]:
    return [action for action in actions if hasattr(action, "_name_parser_map")]


def _make_optional(actions: Sequence[Any]) -> None:
    """Make the required arguments of subcommands unknown, too."""
    for action in _subcommands(actions):
        for parser in action.choices.values():
            parser._make_arguments_optional()
            _make_optional(parser._actions)


def _list_subcommands(actions: Sequence[Any]) -> None:
    """Have the program shown with each of its subcommands: without one, few programs do anything."""
    for action in _subcommands(actions):
        if isinstance(action.dest, str) and not action.dest.startswith("=="):
            action.default = Unknown(_how_to_give(action), session.current().place())
        decisions().command_lines = [_words(action, choice) for choice in _choices(action)]


def _check_subcommands(options: dict[str, Any], base: type, parser: Any) -> None:
    """Leave out what would call the target's code: actions of its own, and what formats the name of the program."""
    parser_class = options.setdefault("parser_class", type(parser))
    if not (isinstance(parser_class, type) and issubclass(parser_class, base)):
        raise TypeError("the parser of a subcommand must be an ArgumentParser")
    options.pop("action", None)
    options["prog"] = parser.prog


def _how_to_give(action: Any) -> str:
    """Return the reason why a required argument is unknown: its name, its choices, and how it is given."""
    name = "/".join(action.option_strings) or action.metavar or action.dest
    choices = _choices(action)
    one_of = f", one of {', '.join(choices)}" if choices else ""
    example = " ".join(_words(action, choices[0] if choices else "VALUE"))
    return f"{name} is given on the program's command line{one_of}: add it after --, as in -- {example}"


def _choices(action: Any) -> list[str]:
    """Return the values that an argument may have, if they are known and few."""
    try:
        choices = list(action.choices or ())
    except TypeError:
        return []
    known = [str(choice) for choice in choices if isinstance(choice, (str, int))]
    return known if len(known) == len(choices) <= _MAX_CHOICES else []


def _words(action: Any, value: str) -> tuple[str, ...]:
    """Return an argument and its value, as they are written on a command line."""
    option = max(action.option_strings, key=len, default=None)
    return (value,) if option is None else (option, value)
