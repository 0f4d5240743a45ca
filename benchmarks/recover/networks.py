"""Networks of many styles with random weights, written as files of both frameworks.

    python -m benchmarks.recover.networks FOLDER [--zoo]

PyTorch's are traced, exported or pickled in turn; Keras's are saved as .keras. `--zoo` adds small networks of torchvision
and keras.applications.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

TORCHVISION = (
    "resnet18 resnet50 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large densenet121 vgg11_bn squeezenet1_1 shufflenet_v2_x0_5 "
    "efficientnet_b0 mnasnet0_5 regnet_y_400mf googlenet vit_b_16 swin_t convnext_tiny"
)
APPLICATIONS = (
    "MobileNet MobileNetV2 ResNet50 ResNet50V2 DenseNet121 EfficientNetB0 NASNetMobile MobileNetV3Small EfficientNetV2B0 "
    "ConvNeXtTiny Xception InceptionV3"
)


def torch_networks() -> dict[str, Any]:
    """Return networks of PyTorch by name, each with its inputs."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    class UNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down1, self.down2 = self.block(3, 8), self.block(8, 16)
            self.middle = self.block(16, 32)
            self.up2, self.up1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
            self.join2, self.join1 = self.block(32, 16), self.block(16, 8)
            self.head = nn.Conv2d(8, 2, 1)

        @staticmethod
        def block(ins: int, outs: int) -> nn.Module:
            return nn.Sequential(nn.Conv2d(ins, outs, 3, padding=1), nn.BatchNorm2d(outs), nn.ReLU())

        def forward(self, x: Any) -> Any:
            one = self.down1(x)
            two = self.down2(F.max_pool2d(one, 2))
            x = self.middle(F.max_pool2d(two, 2))
            x = self.join2(torch.cat([self.up2(x), two], 1))
            return self.head(self.join1(torch.cat([self.up1(x), one], 1)))

    class Recurrent(nn.Module):
        def __init__(self, kind: str, both: bool, layers: int = 1, last: bool = True) -> None:
            super().__init__()
            self.embedding = nn.Embedding(50, 12)
            self.rnn = getattr(nn, kind)(12, 10, layers, batch_first=True, bidirectional=both)
            self.head = nn.Linear(10 * (1 + both), 4)
            self.last = last

        def forward(self, x: Any) -> Any:
            x, _ = self.rnn(self.embedding(x))
            return self.head(x[:, -1] if self.last else x)

    class Siamese(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.tower = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            self.head = nn.Linear(6, 1)

        def forward(self, x: Any, y: Any) -> Any:
            return torch.sigmoid(self.head(torch.abs(self.tower(x) - self.tower(y))))

    class TwoInputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.image = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
            self.table = nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8), nn.SiLU())
            self.head = nn.Linear(16, 3)

        def forward(self, image: Any, table: Any) -> Any:
            return self.head(torch.cat([self.image(image), self.table(table)], dim=1))

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
            self.norm = nn.LayerNorm(16)

        def forward(self, x: Any) -> Any:
            batch, length, width = x.shape
            q, k, v = self.qkv(self.norm(x)).reshape(batch, length, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
            x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(batch, length, width))
            return x.mean(dim=1)

    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, 16, 3, 2, 1)
            self.squeeze, self.excite = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)
            self.depthwise = nn.Conv2d(16, 16, 5, padding=2, groups=16)
            self.groups = nn.Conv2d(16, 8, 3, padding=1, groups=4)

        def forward(self, x: Any) -> Any:
            x = F.hardswish(self.stem(x))
            x = x * torch.sigmoid(self.excite(F.relu(self.squeeze(x.mean((2, 3), keepdim=True)))))
            return self.groups(F.leaky_relu(self.depthwise(x), 0.1)).flatten(1)

    class Shuffle(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Conv2d(4, 4, 1), nn.Conv2d(8, 8, 3, padding=1, groups=8)

        def forward(self, x: Any) -> Any:
            left, right = x.chunk(2, dim=1)
            x = torch.cat([left, self.a(right)], 1)
            batch, channels, height, width = x.shape
            x = x.view(batch, 2, channels // 2, height, width).transpose(1, 2).reshape(batch, channels, height, width)
            return self.b(x).amax(dim=(2, 3))

    def seq(*layers: Any) -> Any:
        return nn.Sequential(*layers)

    image, small = torch.randn(2, 3, 32, 32), torch.randn(2, 3, 16, 16)
    words, rows = torch.randint(0, 50, (2, 7)), torch.randn(2, 8)
    encoder = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    return {
        "mlp": (seq(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3)), (rows,)),
        "mlp_norms": (seq(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 3), nn.Softmax(-1)), (rows,)),
        "lenet": (seq(nn.Conv2d(3, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                      nn.Flatten(), nn.Linear(400, 20), nn.ReLU(), nn.Linear(20, 10)), (image,)),
        "strided": (seq(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 12, 3, 2, 1),
                        nn.ELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5)), (image,)),
        "pools": (seq(nn.Conv2d(3, 8, 3), nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2), nn.PReLU(8), nn.Flatten()), (image,)),
        "conv1d": (seq(nn.Conv1d(4, 8, 5, padding=2), nn.BatchNorm1d(8), nn.ReLU(), nn.MaxPool1d(2), nn.Conv1d(8, 8, 3, 2)),
                   (torch.randn(2, 4, 20),)),
        "conv3d": (seq(nn.Conv3d(2, 4, 3, padding=1), nn.BatchNorm3d(4), nn.ReLU(), nn.MaxPool3d(2)), (torch.randn(2, 2, 6, 8, 8),)),
        "group_norm": (seq(nn.Conv2d(3, 8, 3), nn.GroupNorm(4, 8), nn.SiLU(), nn.Conv2d(8, 4, 1)), (small,)),
        "instance_norm": (seq(nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.ReLU()), (small,)),
        "dilated": (seq(nn.Conv2d(3, 8, 3, padding=2, dilation=2), nn.Softplus(), nn.Conv2d(8, 4, 3, padding=4, dilation=4)), (image,)),
        "generator": (seq(nn.Linear(8, 64), nn.Unflatten(1, (4, 4, 4)), nn.ConvTranspose2d(4, 8, 4, 2, 1), nn.BatchNorm2d(8),
                          nn.ReLU(), nn.ConvTranspose2d(8, 3, 3, 2, 1, 1), nn.Tanh()), (rows,)),
        "upsample": (seq(nn.Conv2d(3, 4, 3, padding=1), nn.Upsample(scale_factor=2), nn.Conv2d(4, 4, 3), nn.Upsample(scale_factor=2, mode="bilinear")), (small,)),
        "pixel_shuffle": (seq(nn.Conv2d(3, 12, 3, padding=1), nn.PixelShuffle(2)), (small,)),
        "reflect": (seq(nn.ReflectionPad2d(1), nn.Conv2d(3, 4, 3), nn.ZeroPad2d((1, 2, 0, 1)), nn.Conv2d(4, 4, 3)), (small,)),
        "unet": (UNet(), (image,)),
        "lstm": (Recurrent("LSTM", False), (words,)),
        "lstm_both": (Recurrent("LSTM", True), (words,)),
        "lstm_stacked": (Recurrent("LSTM", True, 2, False), (words,)),
        "gru": (Recurrent("GRU", False), (words,)),
        "gru_both": (Recurrent("GRU", True, 1, False), (words,)),
        "rnn": (Recurrent("RNN", False, 2), (words,)),
        "siamese": (Siamese(), (small, torch.randn(2, 3, 16, 16))),
        "two_inputs": (TwoInputs(), (small, torch.randn(2, 5))),
        "attention": (Attention(), (torch.randn(2, 6, 16),)),
        "encoder": (nn.TransformerEncoder(encoder, 2, enable_nested_tensor=False), (torch.randn(2, 6, 16),)),
        "gated": (Gated(), (small,)),
        "shuffle": (Shuffle(), (torch.randn(2, 8, 8, 8),)),
        "bag": (seq(nn.Embedding(50, 8), nn.Flatten(), nn.Linear(56, 4), nn.LogSoftmax(dim=1)), (words,)),
        "rms": (seq(nn.Linear(8, 16), nn.RMSNorm(16, eps=1e-6), nn.Mish(), nn.Linear(16, 2)), (rows,)),
        "autoencoder": (seq(nn.Conv2d(3, 8, 3, 2, 1), nn.Hardsigmoid(), nn.ConvTranspose2d(8, 3, 2, 2), nn.Sigmoid()), (image,)),
    }  # fmt: skip


def keras_networks() -> dict[str, Any]:
    """Return networks of Keras by name."""
    import keras
    from keras import layers

    def seq(shape: Any, *parts: Any, dtype: str = "float32") -> Any:
        return keras.Sequential([keras.Input(shape, dtype=dtype), *parts])

    def residual() -> Any:
        inputs = keras.Input((16, 16, 3))
        x = layers.Conv2D(8, 3, strides=2, padding="same")(inputs)
        for _ in range(2):
            y = layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same", use_bias=False)(x))
            x = layers.Add()([x, layers.ReLU()(y)])
        return keras.Model(inputs, layers.Dense(4)(layers.GlobalAveragePooling2D()(x)))

    def unet() -> Any:
        inputs = keras.Input((32, 32, 3))
        one = layers.Conv2D(8, 3, padding="same", activation="relu")(inputs)
        two = layers.Conv2D(16, 3, padding="same", activation="relu")(layers.MaxPooling2D()(one))
        up = layers.Conv2DTranspose(8, 2, strides=2, padding="same")(two)
        return keras.Model(inputs, layers.Conv2D(2, 1)(layers.Concatenate()([up, one])))

    def attention() -> Any:
        inputs = keras.Input((6, 16))
        x = layers.Add()([inputs, layers.MultiHeadAttention(4, 4)(inputs, inputs)])
        x = layers.LayerNormalization()(x)
        return keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))

    def siamese() -> Any:
        tower = seq((16, 16, 3), layers.Conv2D(6, 3, activation="relu"), layers.GlobalMaxPooling2D())
        left, right = keras.Input((16, 16, 3)), keras.Input((16, 16, 3))
        return keras.Model(
            [left, right], layers.Dense(1, activation="sigmoid")(layers.Subtract()([tower(left), tower(right)]))
        )

    def two_inputs() -> Any:
        image, table = keras.Input((16, 16, 3)), keras.Input((5,))
        x = layers.Flatten()(layers.Conv2D(4, 3, strides=2)(image))
        return keras.Model([image, table], layers.Dense(3)(layers.Concatenate()([x, layers.Dense(8, "relu")(table)])))

    def gated() -> Any:
        inputs = keras.Input((16, 16, 8))
        x = layers.GlobalAveragePooling2D(keepdims=True)(inputs)
        x = layers.Conv2D(8, 1, activation="sigmoid")(layers.Conv2D(2, 1, activation="silu")(x))
        return keras.Model(inputs, layers.Multiply()([inputs, x]))

    words = (7,)
    return {
        "mlp": seq((8,), layers.Dense(16, "relu"), layers.Dropout(0.5), layers.Dense(3, "softmax")),
        "mlp_norms": seq((8,), layers.Dense(16), layers.BatchNormalization(), layers.Activation("tanh"), layers.Dense(3)),
        "lenet": seq((32, 32, 3), layers.Conv2D(6, 5, activation="relu"), layers.MaxPooling2D(), layers.Conv2D(16, 5),
                     layers.AveragePooling2D(2), layers.Flatten(), layers.Dense(10)),
        "same": seq((15, 15, 3), layers.Conv2D(8, 3, strides=2, padding="same"), layers.MaxPooling2D(3, 2, padding="same"),
                    layers.Conv2D(4, 2, padding="same")),
        "depthwise": seq((16, 16, 4), layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2), layers.ReLU(6.0),
                         layers.SeparableConv2D(8, 3, strides=2, padding="same")),
        "conv1d": seq((20, 4), layers.Conv1D(8, 5, padding="same", activation="relu"), layers.MaxPooling1D(), layers.Conv1D(8, 3),
                      layers.GlobalAveragePooling1D()),
        "conv3d": seq((6, 8, 8, 2), layers.Conv3D(4, 3, padding="same"), layers.BatchNormalization(), layers.MaxPooling3D()),
        "causal": seq((20, 4), layers.Conv1D(8, 3, padding="causal", dilation_rate=2), layers.ELU()),
        "generator": seq((8,), layers.Dense(64), layers.Reshape((4, 4, 4)), layers.Conv2DTranspose(8, 4, strides=2, padding="same"),
                         layers.LeakyReLU(), layers.Conv2DTranspose(3, 3, strides=2, activation="tanh")),
        "upsample": seq((8, 8, 3), layers.UpSampling2D(), layers.Conv2D(4, 3), layers.UpSampling2D(interpolation="bilinear")),
        "padding": seq((16, 16, 3), layers.ZeroPadding2D(((0, 1), (2, 1))), layers.Conv2D(4, 3), layers.Cropping2D(1)),
        "normalised": seq((16, 16, 8), layers.LayerNormalization(), layers.GroupNormalization(4), layers.UnitNormalization()),
        "permute": seq((6, 4), layers.Permute((2, 1)), layers.Dense(5), layers.Softmax()),
        "time": seq((5, 8, 8, 3), layers.TimeDistributed(layers.Conv2D(4, 3)), layers.Reshape((5, 144)), layers.GRU(6)),
        "repeat": seq((8,), layers.RepeatVector(4), layers.LSTM(5, return_sequences=True), layers.TimeDistributed(layers.Dense(2))),
        "lstm": seq(words, layers.Embedding(50, 12), layers.LSTM(10), layers.Dense(4), dtype="int32"),
        "lstm_both": seq(words, layers.Embedding(50, 12), layers.Bidirectional(layers.LSTM(10)), layers.Dense(4), dtype="int32"),
        "lstm_stacked": seq((7, 6), layers.LSTM(10, return_sequences=True), layers.LSTM(8)),
        "gru": seq(words, layers.Embedding(50, 12), layers.GRU(10), layers.Dense(4), dtype="int32"),
        "gru_both": seq((7, 6), layers.Bidirectional(layers.GRU(10, return_sequences=True))),
        "rnn": seq((7, 6), layers.SimpleRNN(10), layers.Dense(2)),
        "activations": seq((8,), layers.Dense(8, "gelu"), layers.Dense(8, "hard_silu"), layers.Dense(8, "softplus"),
                           layers.Dense(8, "selu"), layers.Dense(8, "hard_sigmoid")),
        "prelu": seq((8, 8, 3), layers.Conv2D(4, 3), layers.PReLU(shared_axes=[1, 2]), layers.GlobalMaxPooling2D()),
        "rescaled": seq((8, 8, 3), layers.Rescaling(1 / 127.5, offset=-1), layers.Conv2D(4, 3, groups=1, dilation_rate=2)),
        "residual": residual(), "unet": unet(), "attention": attention(), "siamese": siamese(), "two_inputs": two_inputs(),
        "gated": gated(),
    }  # fmt: skip


def save_torch(folder: Path, networks: dict[str, Any]) -> None:
    """Write networks as traces, exported programs and scripts, in turn."""
    import torch

    torch.manual_seed(0)
    for place, (name, (network, inputs)) in enumerate(networks.items()):
        for buffer_name, buffer in network.named_buffers():
            if buffer_name.endswith(("running_mean", "running_var")):
                buffer.uniform_(0.5, 1.5)
        network.eval()
        if place % 2:
            torch.export.save(torch.export.export(network, inputs), folder / f"{name}.pt2")
        else:
            torch.jit.trace(network, inputs, check_trace=False).save(folder / f"{name}.pt")


def main() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--zoo", action="store_true")
    options = parser.parse_args()
    for kind in ("torch", "keras"):
        (options.folder / kind).mkdir(parents=True, exist_ok=True)
    networks, models = torch_networks(), keras_networks()
    if options.zoo:
        import keras
        import torch
        import torchvision

        sizes = {"vit_b_16": 224}
        networks = {
            name: (
                torchvision.models.get_model(name, weights=None),
                (torch.randn(1, 3, sizes.get(name, 64), sizes.get(name, 64)),),
            )
            for name in TORCHVISION.split()
        }
        models = {name: getattr(keras.applications, name)(weights=None) for name in APPLICATIONS.split()}
    for name, model in models.items():
        model.save(options.folder / "keras" / f"{name}.keras")
    save_torch(options.folder / "torch", networks)


if __name__ == "__main__":
    main()
