"""The images of data sets that programs load by name: channels, rows and columns, as they come without a transformation."""

from __future__ import annotations

IMAGES: dict[str, tuple[int, int, int]] = {
    "MNIST": (1, 28, 28),
    "FashionMNIST": (1, 28, 28),
    "KMNIST": (1, 28, 28),
    "EMNIST": (1, 28, 28),
    "QMNIST": (1, 28, 28),
    "USPS": (1, 16, 16),
    "CIFAR10": (3, 32, 32),
    "CIFAR100": (3, 32, 32),
    "SVHN": (3, 32, 32),
    "STL10": (3, 96, 96),
}
