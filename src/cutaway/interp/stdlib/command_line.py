"""`argparse`: the program is assumed to be started without arguments."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary.gate import is_writable_kind
from cutaway.interp.run.iteration import counted
from cutaway.interp.stdlib.allow_list import public_names
from cutaway.interp.stdlib.builtins import has_effects
from cutaway.interp.stdlib.modules import stdlib_module


@stdlib_module("argparse")
def _argparse() -> dict[str, Any]:
    import argparse

    class ArgumentParser(argparse.ArgumentParser):
        """A parser of an empty command line; required arguments are unknown."""

        def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            if args is None:
                session.current().assume(
                    "the program is started without command-line arguments", doubt=session.COMMAND_LINE
                )
                args = []
                self._make_arguments_optional()
            return super().parse_args(args, namespace)

        def _make_arguments_optional(self) -> None:
            groups = [group for group in self._mutually_exclusive_groups if group.required]
            required = [action for action in self._actions if action.required]
            for action in (*required, *(action for group in groups for action in group._group_actions)):
                if action.dest not in (None, argparse.SUPPRESS):
                    name = "/".join(action.option_strings) or action.metavar or action.dest
                    action.default = Unknown(
                        f"{name} is given on the program's command line", session.current().place()
                    )
            for action in required:
                action.required = False
            for group in groups:
                group.required = False

        def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # type: ignore[override]
            kind = type(namespace)
            if namespace is not None and (
                isinstance(namespace, type) or not is_writable_kind(kind) or callable(namespace)
            ):
                raise TypeError("the namespace of a command line must be a plain object")
            for action in self._actions:
                if isinstance(action.default, list | None) or isinstance(action, argparse._StoreAction):
                    continue
                if isinstance(action, (argparse._AppendAction, argparse._AppendConstAction)):
                    action.default = list(counted(action.default))  # would be copied in a way of its own
            if args is None:
                session.current().doubts.setdefault(session.COMMAND_LINE)
                self._make_arguments_optional()
                args = []
            return super().parse_known_args(args, namespace)

        def _read_args_from_files(self, arg_strings: Any) -> Any:
            return arg_strings

        def _print_message(self, message: str, file: Any = None) -> None:
            pass

        def exit(self, status: int = 0, message: str | None = None) -> Any:
            raise SystemExit(status)

        def error(self, message: str) -> Any:
            raise ValueError(f"the program's command line: {message}")

    table = public_names("argparse")
    table["ArgumentParser"] = ArgumentParser
    table["FileType"] = has_effects("argparse.FileType")
    return table
