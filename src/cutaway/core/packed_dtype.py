"""Element types whose numbers are stored in blocks: how many elements a block has, and how many bytes it takes."""

from __future__ import annotations

BLOCKS: dict[str, tuple[int, int]] = {
    "qint8": (1, 1),
    "quint8": (1, 1),
    "qint32": (1, 4),
    "quint4x2": (2, 1),
    "quint2x4": (4, 1),
    "float4_e2m1fn_x2": (1, 1),
    "float4": (2, 1),
    "float6_e2m3": (4, 3),
    "float6_e3m2": (4, 3),
    "int4": (2, 1),
    "uint4": (2, 1),
    "q4_0": (32, 18),
    "q4_1": (32, 20),
    "q4_2": (16, 10),
    "q4_3": (16, 12),
    "q5_0": (32, 22),
    "q5_1": (32, 24),
    "q8_0": (32, 34),
    "q8_1": (32, 36),
    "q2_k": (256, 84),
    "q3_k": (256, 110),
    "q4_k": (256, 144),
    "q5_k": (256, 176),
    "q6_k": (256, 210),
    "q8_k": (256, 292),
    "iq2_xxs": (256, 66),
    "iq2_xs": (256, 74),
    "iq3_xxs": (256, 98),
    "iq1_s": (256, 50),
    "iq4_nl": (32, 18),
    "iq3_s": (256, 110),
    "iq2_s": (256, 82),
    "iq4_xs": (256, 136),
    "iq1_m": (256, 56),
    "q4_0_4_4": (32, 18),
    "q4_0_4_8": (32, 18),
    "q4_0_8_8": (32, 18),
    "tq1_0": (256, 54),
    "tq2_0": (256, 66),
    "mxfp4": (32, 17),
    "nvfp4": (64, 36),
}
"""A block's elements and bytes, scales included."""


def packed_bytes(count: int, dtype: str) -> int | None:
    """Return the bytes of so many elements; None where the type is not stored in blocks."""
    block = BLOCKS.get(dtype)
    return None if block is None else -(-count // block[0]) * block[1]
