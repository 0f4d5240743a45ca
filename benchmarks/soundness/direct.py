"""Parts of generated programs in which an open decision stands in the code of the network itself."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.soundness.writing import Lines, Part, block

Writer = Callable[[Part], None]

_EXPRESSIONS = (
    "16 if {test} else 8",
    "8 + 8 * bool({test})",
    "[8, 16][int(bool({test}))]",
    "{{True: 16, False: 8}}[bool({test})]",
    "max(8, 16 * bool({test}))",
    "(({test}) and 16) or 8",
    "next(w for w in (16, 8) if w == 8 or {test})",
    "len([w for w in range(8) if w > 3 or {test}])",
    "sum(4 for _ in range(2) if {test}) + 4",
)


def expression(part: Part) -> None:
    """A width that is an open expression."""
    i = part.number
    part.tag("state: open expression")
    text = part.rng.choice(_EXPRESSIONS)
    part.init += [f"width_{i} = {text.format(test=part.test('init'))}", *_layers(i, f"width_{i}")]
    part.forward += _called(i)


def class_body(part: Part) -> None:
    """A class whose body has a branch."""
    i = part.number
    part.tag("state: class body")
    test = part.test("module")
    wide, narrow = ["width = 16"], ["width = 8"]
    body = part.rng.choice(
        [
            [*narrow, *block(f"if {test}:", wide)],
            [*block(f"if {test}:", wide), *block("else:", narrow)],
            [f"width = 16 if {test} else 8"],
            [*narrow, *block("for width in (8, 16):", block(f"if {test}:", ["break"]))],
        ]
    )
    part.top += block(f"class Spec_{i}:", body)
    part.init += _layers(i, f"Spec_{i}.width")
    part.forward += _called(i)


def method_in_branch(part: Part) -> None:
    """A class in which a branch defines a method again."""
    i = part.number
    part.tag("state: method defined in a branch")
    plain = block("def make(self):", ["return nn.Linear(4, 4)"])
    other = block("def make(self):", ["return nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4))"])
    part.top += block(f"class Maker_{i}:", [*plain, *block(f"if {part.test('module')}:", other)])
    part.init.append(f"self.block_{i} = Maker_{i}().make()")
    part.forward.append(f"x = self.block_{i}(x)")


def early_return_in_init(part: Part) -> None:
    """A constructor that returns early."""
    i = part.number
    part.tag("state: early return in __init__")
    part.home = "block"
    part.init += [
        f"self.first_{i} = nn.Linear(4, 4)",
        *block(f"if {part.test('init')}:", ["return"]),
        f"self.second_{i} = nn.Linear(4, 4)",
    ]
    part.forward += [
        f"x = self.first_{i}(x)",
        *block(f'if hasattr(self, "second_{i}"):', [f"x = self.second_{i}(x)"]),
    ]


def early_return_in_forward(part: Part) -> None:
    """A forward pass that returns early."""
    i = part.number
    part.tag("state: early return in forward")
    part.home = "block"
    part.init += [f"self.first_{i} = nn.Linear(4, 4)", f"self.second_{i} = nn.Linear(4, 4)"]
    test = part.test("forward")
    part.forward += part.rng.choice(
        [
            [f"x = self.first_{i}(x)", *block(f"if {test}:", ["return x"]), f"x = self.second_{i}(x)"],
            [
                *block(
                    f"for layer_{i} in (self.first_{i}, self.second_{i}):",
                    [f"x = layer_{i}(x)", *block(f"if {test}:", ["return x"])],
                )
            ],
            [
                *block("try:", [*block(f"if {test}:", [f"return self.first_{i}(x)"])]),
                *block("finally:", [f"self.second_{i}(x)"]),
            ],
        ]
    )


def iterated(part: Part) -> None:
    """A layer that is called until something open holds."""
    i = part.number
    part.tag("state: loop until something open holds")
    part.init += [f"self.step_{i} = nn.Linear(4, 4)"]
    part.forward += part.rng.choice(
        [
            [
                f"count_{i} = 0",
                *block(
                    f"while count_{i} < 2 and {part.test('forward')}:", [f"x = self.step_{i}(x)", f"count_{i} += 1"]
                ),
            ],
            block(f"while {part.test('forward')}:", [f"x = self.step_{i}(x)"])
            if part.rng.random() < 0.5
            else block(
                "for _ in range(3):", [f"x = self.step_{i}(x)", *block(f"if {part.test('forward')}:", ["break"])]
            ),
        ]
    )


def mode(part: Part) -> None:
    """A forward pass that differs in training."""
    i = part.number
    part.tag("state: mode")
    if part.rng.random() < 0.5:
        _own_mode(part)
        return
    part.init += [
        f"self.main_{i} = nn.Linear(4, 4)",
        f"self.aux_{i} = nn.Linear(4, 4)",
        f"self.drop_{i} = nn.Dropout(0.5)",
    ]
    part.forward += part.rng.choice(
        [
            block("if self.training:", [f"x = self.aux_{i}(x)"]),
            [f"x = self.aux_{i}(x) if self.training else self.main_{i}(x)"],
            [
                f"x = self.drop_{i}(self.main_{i}(x))",
                *block(f"if not self.training and {part.test('forward')}:", [f"x = self.aux_{i}(x)"]),
            ],
            [
                f'extras["main_{i}"] = self.main_{i}(x)',
                *block("if self.training:", [f'extras["aux_{i}"] = self.aux_{i}(x)']),
            ],
        ]
    )


def _own_mode(part: Part) -> None:
    """A module whose mode the program sets, or perhaps does."""
    i = part.number
    part.tag("state: mode of a module")
    frozen = block("def train(self, mode=True):", [f"return super().train({part.rng.choice(('False', 'True'))})"])
    part.top += block(
        f"class Gate_{i}(nn.Module):",
        [
            *block(
                "def __init__(self):",
                ["super().__init__()", "self.fc = nn.Linear(4, 4)", "self.norm = nn.BatchNorm1d(4)"],
            ),
            *(frozen if part.rng.random() < 0.2 else []),
            *block("def forward(self, x):", ["return self.norm(self.fc(x)) if self.training else self.norm(x)"]),
        ],
    )
    part.init += [f"self.gate_{i} = Gate_{i}()", f"self.last_{i} = nn.BatchNorm1d(4)"]
    decided = [
        [],
        [f"self.gate_{i}.train()"],
        [f"self.gate_{i}.norm.eval()"],
        ["self.eval()", f"self.gate_{i}.train()"],
        [f"self.gate_{i}.eval()", f"self.gate_{i}.norm.training = True"],
    ]
    part.init += part.rng.choice(decided) if part.rng.random() < 0.4 else _open_mode(part, part.test("init"))
    part.forward += [f"x = self.last_{i}(self.gate_{i}(x))"]


def _open_mode(part: Part, test: str) -> Lines:
    i = part.number
    choices = [
        block(f"if {test}:", [f"self.gate_{i}.train()"]),
        [*block(f"if {test}:", [f"self.gate_{i}.eval()"]), *block("else:", [f"self.gate_{i}.train()"])],
        [f"self.gate_{i}.train(bool({test}))"],
        [f"self.last_{i}.training = bool({test})"],
        block(
            "for part in self.modules():", block(f"if isinstance(part, nn.BatchNorm1d) and {test}:", ["part.train()"])
        ),
    ]
    return part.rng.choice(choices)


def _layers(i: int, width: str) -> Lines:
    return [f"self.up_{i} = nn.Linear(4, {width})", f"self.down_{i} = nn.Linear({width}, 4)"]


def _called(i: int) -> Lines:
    return [f"x = self.down_{i}(torch.relu(self.up_{i}(x)))"]


DIRECT: list[Writer] = [
    expression,
    expression,
    class_body,
    method_in_branch,
    early_return_in_init,
    early_return_in_forward,
    iterated,
    mode,
]
