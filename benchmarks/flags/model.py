"""An image classifier with ten flags, each of which adds, replaces or leaves out a part."""

import torch.nn as nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 4, 1)
        self.expand = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        scale = F.relu(self.reduce(x.mean((2, 3), keepdim=True)))
        return x * self.expand(scale).sigmoid()


class Block(nn.Module):
    def __init__(self, channels, use_norm, use_attention, use_gelu, use_dropout):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(channels) if use_norm else nn.Identity()
        self.act = nn.GELU() if use_gelu else nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(channels) if use_norm else nn.Identity()
        self.attention = SqueezeExcite(channels) if use_attention else None
        self.dropout = nn.Dropout2d(0.1) if use_dropout else None

    def forward(self, x):
        y = self.act(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        if self.attention is not None:
            y = self.attention(y)
        if self.dropout is not None:
            y = self.dropout(y)
        return self.act(x + y)


class Net(nn.Module):
    def __init__(
        self,
        use_norm,
        use_attention,
        use_gelu,
        use_dropout,
        large_stem,
        stem_pool,
        extra_stage,
        hidden_head,
        head_norm,
        head_dropout,
    ):
        super().__init__()
        if large_stem:
            self.stem = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        else:
            self.stem = nn.Conv2d(3, 64, 3, stride=2, padding=1)
        self.pool = nn.AvgPool2d(3, stride=1, padding=1) if stem_pool else nn.Identity()
        settings = (use_norm, use_attention, use_gelu, use_dropout)
        self.stage1 = nn.Sequential(*[Block(64, *settings) for _ in range(3)])
        self.down1 = nn.Conv2d(64, 128, 2, stride=2)
        self.stage2 = nn.Sequential(*[Block(128, *settings) for _ in range(3)])
        self.down2 = nn.Conv2d(128, 256, 2, stride=2)
        self.stage3 = nn.Sequential(*[Block(256, *settings) for _ in range(2)])
        self.extra = Block(256, *settings) if extra_stage else None
        head = []
        if head_norm:
            head.append(nn.LayerNorm(256))
        if hidden_head:
            head += [nn.Linear(256, 256), nn.ReLU()]
        if head_dropout:
            head.append(nn.Dropout(0.2))
        head.append(nn.Linear(256, 10))
        self.head = nn.Sequential(*head)

    def forward(self, x):
        x = self.pool(self.stem(x))
        x = self.stage1(x)
        x = self.stage2(self.down1(x))
        x = self.stage3(self.down2(x))
        if self.extra is not None:
            x = self.extra(x)
        return self.head(x.mean((2, 3)))
