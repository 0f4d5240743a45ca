"""What a parent does when its child has ended well: it writes the files that the child may not write."""

from __future__ import annotations

from cutaway.isolation import files
from cutaway.isolation.channel import UNCOMPILED, Reception


def leave_files(reception: Reception) -> None:
    """Write entries of the cache, and compiled modules of Cutaway."""
    for path, content in reception.entries.items():
        files.write_entry(content, path)
    for path in reception.used:
        files.mark_used(path)
    if reception.contents.get(UNCOMPILED):
        from cutaway.isolation.bytecode import compile_own  # late: only where modules were not compiled yet

        compile_own(reception.contents[UNCOMPILED])
