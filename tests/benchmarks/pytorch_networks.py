# SPDX-License-Identifier: MIT
"""Networks of models/ in PyTorch, as its users write them: convolutional ones with torch.nn or from
torchvision, transformers with separate products for queries, keys and values. Each has a sample():
a mini-batch on the GPU that never changes, and a loss()."""

import torch
from torch import nn
from torch.nn import functional


class Images(nn.Module):
    """A classifier of images."""

    def __init__(self, body, size=224, classes=1001):
        super().__init__()
        self.body = body
        self.size = size
        self.classes = classes

    def sample(self, batch, layout):
        images = torch.randn(batch, 3, self.size, self.size, device="cuda")
        return images.to(memory_format=layout), torch.randint(0, self.classes, (batch,), device="cuda")

    def forward(self, images):
        return self.body(images)

    @staticmethod
    def loss(outputs, targets):
        return functional.cross_entropy(outputs, targets)


def bottleneck(before, inner, after, stride):
    """The three convolutions of a residual unit."""
    return nn.Sequential(
        nn.Conv2d(before, inner, 1, stride, bias=False), nn.BatchNorm2d(inner), nn.ReLU(True),
        nn.Conv2d(inner, inner, 3, 1, 1, bias=False), nn.BatchNorm2d(inner), nn.ReLU(True),
        nn.Conv2d(inner, after, 1, bias=False), nn.BatchNorm2d(after))


class Unit(nn.Module):
    """A residual unit of ResNet v1."""

    def __init__(self, before, inner, after, stride):
        super().__init__()
        self.body = bottleneck(before, inner, after, stride)
        self.short = nn.Identity()
        if before != after:
            self.short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False),
                                       nn.BatchNorm2d(after))
        self.relu = nn.ReLU(True)

    def forward(self, x):
        return self.relu(self.body(x) + self.short(x))


def resnet50():
    """ResNet-50 v1 as models/resnet50.yaml has it: the stride is on the first 1x1 convolution."""
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(True),
              nn.MaxPool2d(3, 2)]
    before = 64
    for stage, (units, inner) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for unit in range(units):
            stride = 2 if stage > 0 and unit == 0 else 1
            layers.append(Unit(before, inner, 4 * inner, stride))
            before = 4 * inner
    return Images(nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                nn.Linear(2048, 1001)))


def vgg16():
    """VGG-16, configuration D, as models/vgg16.yaml has it."""
    layers = []
    before = 3
    for times, channels in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)]:
        for _ in range(times):
            layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU(True)]
            before = channels
        layers.append(nn.MaxPool2d(2))
    layers.append(nn.Flatten())
    for inputs in (512 * 7 * 7, 4096):
        layers += [nn.Linear(inputs, 4096), nn.ReLU(True), nn.Dropout(0.5)]
    return Images(nn.Sequential(*layers, nn.Linear(4096, 1001)))


def of_torchvision(name, **options):
    """A network of torchvision, without pretrained weights."""
    import torchvision  # only where it is used
    size = 299 if name == "inception_v3" else 224
    classes = options.get("num_classes", 1000)
    return Images(getattr(torchvision.models, name)(weights=None, **options), size, classes)


class Attention(nn.Module):
    """Attention of several heads: with matrices in memory, or PyTorch's fused kernels."""

    def __init__(self, features, heads, causal, fused):
        super().__init__()
        self.heads, self.causal, self.fused = heads, causal, fused
        self.query, self.key, self.value, self.output = (
            nn.Linear(features, features) for _ in range(4))
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        batch, length, features = x.shape
        query, key, value = (
            product(x).view(batch, length, self.heads, -1).transpose(1, 2)
            for product in (self.query, self.key, self.value))
        if self.fused:
            mixed = functional.scaled_dot_product_attention(
                query, key, value, dropout_p=0.1, is_causal=self.causal)
        else:
            scores = query @ key.transpose(-1, -2) / (features // self.heads) ** 0.5
            if self.causal:
                later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
                scores = scores.masked_fill(later, float("-inf"))
            mixed = self.dropout(scores.softmax(-1)) @ value
        return self.output(mixed.transpose(1, 2).reshape(batch, length, features))


class Layer(nn.Module):
    """A layer of a transformer; norms after the branches (BERT) or before them (GPT-2)."""

    def __init__(self, features, heads, causal, fused):
        super().__init__()
        self.before = causal
        self.attention = Attention(features, heads, causal, fused)
        self.products = nn.Sequential(nn.Linear(features, 4 * features), nn.GELU(),
                                      nn.Linear(4 * features, features))
        self.norms = nn.ModuleList([nn.LayerNorm(features), nn.LayerNorm(features)])
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        for branch, norm in zip((self.attention, self.products), self.norms):
            if self.before:
                x = x + self.dropout(branch(norm(x)))
            else:
                x = norm(x + self.dropout(branch(x)))
        return x


class Transformer(nn.Module):
    """BERT (a head over the first `masked` positions) or GPT-2 (all positions); the output's weights
    are the embedding's."""

    def __init__(self, layers, features, heads, vocabulary, length, masked, fused):
        super().__init__()
        bert = masked > 0
        self.vocabulary, self.length, self.masked = vocabulary, length, masked
        self.words = nn.Embedding(vocabulary, features)
        self.positions = nn.Embedding(length, features)
        self.start = nn.Sequential(nn.LayerNorm(features) if bert else nn.Identity(), nn.Dropout(0.1))
        self.layers = nn.Sequential(
            *(Layer(features, heads, not bert, fused) for _ in range(layers)))
        self.end = nn.Sequential(nn.Linear(features, features), nn.GELU(), nn.LayerNorm(features))
        if not bert:
            self.end = nn.LayerNorm(features)

    def sample(self, batch, _):
        words = torch.randint(0, self.vocabulary, (batch, self.length), device="cuda")
        kept = self.masked or self.length
        return words, torch.randint(0, self.vocabulary, (batch, kept), device="cuda")

    def forward(self, words):
        x = self.start(self.words(words) + self.positions.weight)
        x = self.layers(x)
        if self.masked:
            x = x[:, :self.masked]
        return functional.linear(self.end(x), self.words.weight)

    @staticmethod
    def loss(outputs, targets):
        return functional.cross_entropy(outputs.flatten(0, 1), targets.flatten())


NETWORKS = {
    "resnet50": lambda fused: resnet50(),
    "vgg16": lambda fused: vgg16(),
    "resnet50_v15": lambda fused: of_torchvision("resnet50"),
    "densenet121": lambda fused: of_torchvision("densenet121"),
    "inception3": lambda fused: of_torchvision("inception_v3", num_classes=1001, aux_logits=False,
                                               init_weights=False),
    "bert_base": lambda fused: Transformer(12, 768, 12, 30522, 128, 20, fused),
    "bert_large": lambda fused: Transformer(24, 1024, 16, 30522, 128, 20, fused),
    "gpt2": lambda fused: Transformer(12, 768, 12, 50257, 1024, 0, fused),
}

TRANSFORMERS = {"bert_base", "bert_large", "gpt2"}  # trained with Adam
