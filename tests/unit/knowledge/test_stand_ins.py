"""Stand-ins of packages that the environment of the tests has: read as if the package were not installed."""

import textwrap

import cutaway
from cutaway.interp.modules.loader import STAND_INS


def test_strict_data_classes_of_huggingface_hub_validate_and_take_other_arguments(tmp_path):
    (tmp_path / "net.py").write_text(
        textwrap.dedent("""
            from dataclasses import dataclass

            from huggingface_hub.dataclasses import as_validated_field, strict
            from torch import nn

            @as_validated_field
            def positive(value):
                if value <= 0:
                    raise ValueError(f"must be positive, but is {value}")

            @strict(accept_kwargs=True)
            @dataclass
            class Settings:
                width: int = positive(default=4)

                def __post_init__(self, depth=1, **kwargs):
                    self.depth = depth

            @strict
            @dataclass
            class Head:
                width: int = 6

                def validate_width(self):
                    if self.width % 2:
                        raise ValueError("must be even")

            def is_refused(make):
                try:
                    make()
                except Exception:
                    return True
                return False

            settings = Settings(depth=2)
            net = nn.Linear(
                settings.width * settings.depth,
                Head().width + 100 * is_refused(lambda: Settings(width=0)) + 1000 * is_refused(lambda: Head(5)),
            )
        """)
    )
    (network,) = cutaway.show(str(tmp_path / "net.py"), path=[STAND_INS])
    assert network.weights[0].shape == (1106, 8)
    assert not network.unknowns
