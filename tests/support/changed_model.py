"""The model that `model_changes` changes, with global variables and a function that it reads."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

FACTOR = 1.0  # global variables that the model reads
SETTINGS = {"offset": 0.0}


def shifted(x: Any) -> Any:
    return x + SETTINGS["offset"]


class Scaled(nn.Module):
    """A layer around another one, as adapters are."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Any) -> Any:
        return 2 * self.inner(x)


class Net(nn.Module):
    """Chains of every kind, and state of every kind that Python code may depend on."""

    negates = False

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.act = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU()
        self.second = nn.Conv2d(4, 4, 1, bias=False)
        self.tail = nn.Sequential(nn.Linear(4, 64), nn.GELU(), nn.Linear(64, 8))
        self.gain, self.plain = nn.Parameter(torch.rand(8) + 1), torch.rand(8) + 1
        self.register_buffer("level", torch.rand(8))
        self.squares, self.config, self.weights = False, SimpleNamespace(power=1.0), [1.0, 2.0]
        self.options, self.steps, self.table = {"bias": 0.5}, {"gain"}, np.ones(1)

    def forward(self, images: Any) -> Any:
        y = self.act(self.norm(self.first(images)))
        y = torch.relu(y + self.second(y)).mean((2, 3)) * self.config.power
        y = self.tail(y * y if self.squares else y) * self.weights[0] + self.options["bias"]
        if "gain" in self.steps:
            y = y * self.gain
        y = y * FACTOR * float(self.table[0]) * float(os.environ.get("MODEL_CHANGES_FACTOR", "1"))
        y = shifted(y) * self.plain + self.level
        return -y if self.negates else y


def made() -> Any:
    """Return a model in evaluation mode whose norm has statistics that are not 0 and 1."""
    torch.manual_seed(1)
    model = Net().eval()
    with torch.no_grad():
        model.norm.running_mean.uniform_(-0.5, 0.5)
        model.norm.running_var.uniform_(0.5, 2.0)
        model.norm.weight.uniform_(0.5, 1.5)
    return model


def inputs() -> Any:
    torch.manual_seed(2)
    return torch.randn(2, 4, 5, 5).to(memory_format=torch.channels_last)
