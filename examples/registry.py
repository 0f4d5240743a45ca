"""A family of MLP mixers, built by name: `build("small", classes=10)`."""

from torch import nn

SIZES = {}


def size(function):
    """Register a member of the family under the function's name."""
    SIZES[function.__name__] = function
    return function


class Mix(nn.Module):
    """Mixes along one dimension of `(batch, tokens, channels)`."""

    def __init__(self, length, hidden, across_tokens):
        super().__init__()
        self.across_tokens = across_tokens
        self.mlp = nn.Sequential(nn.Linear(length, hidden), nn.GELU(), nn.Linear(hidden, length))

    def forward(self, x):
        if self.across_tokens:
            return self.mlp(x.transpose(1, 2)).transpose(1, 2)
        return self.mlp(x)


class Layer(nn.Module):
    """Mixes tokens, then channels."""

    def __init__(self, tokens, width):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.mixes = nn.ModuleList([Mix(tokens, width // 2, True), Mix(width, width * 4, False)])

    def forward(self, x):
        for norm, mix in zip(self.norms, self.mixes):
            x = x + mix(norm(x))
        return x


class Mixer(nn.Module):
    """Splits an image into patches, mixes them layer by layer, and returns a score for each class."""

    def __init__(self, width, layers, classes=1000, image=224, patch=16):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.layers = nn.Sequential(*[Layer((image // patch) ** 2, width) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes) if classes else nn.Identity()

    def forward(self, images):
        x = self.patches(images).flatten(2).mT
        return self.head(self.norm(self.layers(x)).mean(dim=1))


@size
def small(**options):
    """Return a mixer with 18 million parameters."""
    return Mixer(width=512, layers=8, **options)


@size
def base(**options):
    """Return a mixer with 60 million parameters."""
    return Mixer(width=768, layers=12, **options)


def build(name, **options):
    """Return the mixer with this name."""
    if name not in SIZES:
        raise KeyError(f"unknown size {name!r}; choose from {', '.join(sorted(SIZES))}")
    return SIZES[name](**options)
