"""The program: `python -m cutaway`, and the command `cutaway`."""

# No future statement and no import of the standard library before the working folder is out of the way: see there.
from cutaway.core import import_path

if __name__ == "__main__":
    import_path.drop_working_folder()

from typing import NoReturn

from cutaway.isolation.command import supervised


def entry() -> NoReturn:
    """Run the command line in a process that bounds it."""
    import_path.drop_working_folder()
    supervised(_program)


def _program() -> int:
    import gc

    gc.disable()  # what is imported stays
    from cutaway.isolation import own_modules  # late: only in the child

    own_modules.install()
    from cutaway import cli  # late: as above

    return cli.program()


if __name__ == "__main__":
    entry()
