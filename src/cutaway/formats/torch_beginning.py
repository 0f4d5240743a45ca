"""How files begin that `torch.save` writes: asked of every file, so what reads them is not imported here."""

from __future__ import annotations

import re

ZIP = b"PK\x03\x04"
MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""The pickle of torch's magic number, which a file of the legacy format begins with."""
LEGACY = re.compile(
    rb"\x80[\x02-\x05](\x95.{8})?" + re.escape(MAGIC[2:]) + rb"|L119547037146038801333356L\n\.", re.DOTALL
)


def sniff(head: bytes) -> bool:
    """Tell whether a file that begins like this may have been written by torch."""
    return head.startswith(ZIP) or LEGACY.match(head) is not None
