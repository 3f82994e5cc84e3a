"""Ways to change a model after it was fused: each either shows in the next result, or is listed by `patch`.

A way changes the model in place. It may return a function that is called instead of the model.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from functools import partial
from types import MethodType, SimpleNamespace
from typing import Any

import changed_model
import torch
from changed_model import Net, Scaled, inputs, made
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrizations, prune

__all__ = ["LISTED", "MEMORY", "WAYS", "inputs", "made"]
Way = Callable[[Any], Any]


@torch.no_grad()
def in_place(model: Any) -> None:
    model.first.weight.mul_(1.5)


@torch.no_grad()
def filled(model: Any) -> None:
    nn.init.uniform_(model.tail[0].bias)


def doubled(model: Any) -> Any:
    return {k: v * 2 if v.is_floating_point() else v for k, v in model.state_dict().items()}


def loaded(model: Any) -> None:
    model.load_state_dict(doubled(model))


def assigned(model: Any) -> None:
    model.load_state_dict(doubled(model), assign=True)


def new_parameter(model: Any) -> None:
    model.first.weight = nn.Parameter(torch.rand(4, 4, 3, 3))


def new_twice(model: Any) -> None:
    for _ in range(2):  # the memory of the first one is free again
        model.first.weight.data = model.first.weight.data * 1.5


def deleted_and_made(model: Any) -> None:
    del model.first.bias
    model.first.bias = nn.Parameter(torch.rand(4))


def removed_bias(model: Any) -> None:
    model.first.bias = None


def added_bias(model: Any) -> None:
    model.second.bias = nn.Parameter(torch.rand(4))


def new_layer(model: Any) -> None:
    model.first = nn.Conv2d(4, 4, 3, padding=1)


def new_norm(model: Any) -> None:
    model.norm = nn.BatchNorm2d(4, eps=0.5).eval()


def new_act(model: Any) -> None:
    model.act = nn.Sigmoid()


def no_norm(model: Any) -> None:
    model.norm = nn.Identity()


def wrapped(model: Any) -> None:
    model.first = Scaled(model.first)


def appended(model: Any) -> None:
    model.tail.append(nn.Tanh())


def replaced_in_sequence(model: Any) -> None:
    model.tail[1] = nn.Tanh()


def running_mean(model: Any) -> None:
    model.norm.running_mean = torch.rand(4)


def running_var_in_place(model: Any) -> None:
    model.norm.running_var.mul_(3.0)


def eps(model: Any) -> None:
    model.norm.eps = 0.9


def norm_trains(model: Any) -> None:
    model.norm.train()


def no_statistics(model: Any) -> None:
    model.norm.track_running_stats = False
    model.norm.running_mean = model.norm.running_var = None


def stride(model: Any) -> None:
    model.first.stride = (2, 2)


def padding(model: Any) -> None:
    model.first.padding = (2, 2)


def padding_mode(model: Any) -> None:
    model.first.padding_mode = "circular"


def approximate(model: Any) -> None:
    model.tail[1].approximate = "tanh"
    model.tail[1].forward = lambda x: 2 * functional.gelu(x)


def hooked(model: Any) -> None:
    model.first.register_forward_hook(lambda module, given, found: found * 2)


def hooked_before(model: Any) -> None:
    model.norm.register_forward_pre_hook(lambda module, given: (given[0] * 2,))


def hooked_with_keywords(model: Any) -> None:
    model.act.register_forward_hook(lambda module, given, named, found: found * 2, with_kwargs=True)


def hooked_model(model: Any) -> None:
    model.register_forward_hook(lambda module, given, found: found * 2)


def hooked_sequence(model: Any) -> None:
    model.tail.register_forward_hook(lambda module, given, found: found * 2)


def hooked_everywhere(model: Any) -> Any:
    def call(x: Any) -> Any:
        hook = nn.modules.module.register_module_forward_hook(
            lambda module, given, found: found * 2 if isinstance(module, nn.Conv2d) else None
        )
        try:
            return model(x)
        finally:
            hook.remove()

    return call


def pruned(model: Any) -> None:
    prune.l1_unstructured(model.first, "weight", 0.5)


def weight_norm(model: Any) -> None:
    parametrizations.weight_norm(model.first)
    with torch.no_grad():
        model.first.parametrizations.weight.original0.mul_(2.0)


def spectral_norm(model: Any) -> None:
    parametrizations.spectral_norm(model.tail[0])


def called_with_weights(model: Any) -> Any:
    given = {"first.weight": torch.rand(4, 4, 3, 3), "gain": torch.rand(8), "norm.running_mean": torch.rand(4)}
    return lambda x: torch.func.functional_call(model, given, (x,))


def vmapped(model: Any) -> Any:
    stacked = torch.rand(2, 4, 4, 3, 3)
    one = lambda weight, x: torch.func.functional_call(model, {"first.weight": weight}, (x,))  # noqa: E731
    return lambda x: torch.vmap(one, in_dims=(0, None))(stacked, x)


def in_inference_mode(model: Any) -> None:
    with torch.inference_mode():
        model.first.weight.mul_(1.5)


def made_in_inference_mode(model: Any) -> None:
    with torch.inference_mode():
        model.first.weight = nn.Parameter(torch.rand(4, 4, 3, 3))


def new_data(model: Any) -> None:
    model.first.weight.data = torch.rand(4, 4, 3, 3)


def set_to(model: Any) -> None:
    with torch.no_grad():
        model.first.weight.set_(torch.rand(4, 4, 3, 3))


def swapped(model: Any) -> None:
    torch.utils.swap_tensors(model.first.weight, nn.Parameter(torch.rand(4, 4, 3, 3)))


def from_vector(model: Any) -> None:
    given = torch.rand(sum(p.numel() for p in model.parameters()))
    nn.utils.vector_to_parameters(given, model.parameters())


def foreach(model: Any) -> None:
    with torch.no_grad():
        torch._foreach_mul_(list(model.parameters()), 2.0)


def applied(model: Any) -> None:
    with torch.no_grad():
        model.apply(lambda m: m.weight.mul_(2.0) if isinstance(m, nn.Linear) else None)


def rounded(model: Any) -> None:
    model.first.weight.data.copy_(torch.rand(4, 4, 3, 3) * 1e-3 + 1)
    model.bfloat16().float()


def shared(model: Any) -> None:
    model.share_memory()
    with torch.no_grad():
        model.first.weight.mul_(2.0)


def in_bfloat16(model: Any) -> Any:
    model.bfloat16()
    model.plain = model.plain.bfloat16()
    return lambda x: model(x.bfloat16()).float()


def in_float64(model: Any) -> Any:
    model.double()
    in_place(model)
    return lambda x: model(x.double()).float()


def stepped(model: Any, kind: Any, **options: Any) -> None:
    with torch.enable_grad():
        optimizer = kind(model.parameters(), lr=0.5, **options)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    optimizer.step()


def training(model: Any) -> None:
    model.train()


def attribute(model: Any) -> None:
    model.squares = True


def attribute_through_dict(model: Any) -> None:
    model.__dict__["squares"] = True


def attribute_of_config(model: Any) -> None:
    model.config.power = 3.0


def new_config(model: Any) -> None:
    model.config = SimpleNamespace(power=2.0)


def in_list(model: Any) -> None:
    model.weights[0] = 7.0


def in_dict(model: Any) -> None:
    model.options["bias"] = 2.0


def in_set(model: Any) -> None:
    model.steps.clear()


def over_class(model: Any) -> None:
    model.negates = True


def own_class(model: Any) -> type:
    """Give the model a class of its own, which may be changed."""
    model.__class__ = type("OwnNet", (Net,), {"__module__": __name__})
    return type(model)


def other_class(model: Any) -> None:
    kind = own_class(model)
    kind.forward = lambda self, images: 2 * Net.forward(self, images)


def class_of_layer(model: Any) -> None:
    kind = type("Doubling", (nn.ReLU,), {"forward": lambda self, x: 2 * torch.relu(x), "__module__": __name__})
    model.act.__class__ = kind


def forward_of_layer(model: Any) -> None:
    model.act.forward = MethodType(lambda self, x: 2 * torch.relu(x), model.act)


def forward_of_sequence(model: Any) -> None:
    own = model.tail.forward
    model.tail.forward = lambda x: 2 * own(x)


def wrapped_forward(model: Any) -> None:
    own = model.forward
    model.forward = lambda images: 2 * own(images)


def new_gain(model: Any) -> None:
    model.gain = nn.Parameter(torch.rand(8))


@torch.no_grad()
def gain_in_place(model: Any) -> None:
    model.gain.mul_(2.0)


def new_plain(model: Any) -> None:
    model.plain = torch.rand(8)


def plain_in_place(model: Any) -> None:
    model.plain.mul_(2.0)


def new_level(model: Any) -> None:
    model.register_buffer("level", torch.rand(8))


def copied(model: Any) -> Any:
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.first.weight.mul_(2.0)
    return other


def by_keyword(model: Any) -> Any:
    in_place(model)
    return lambda x: model(images=x)


def variable(model: Any) -> Any:
    return partial(with_global, "FACTOR", 3.0, model)


def variable_in_dict(model: Any) -> Any:
    return partial(with_global, "SETTINGS", {"offset": 4.0}, model)


def helper(model: Any) -> Any:
    return partial(with_global, "shifted", lambda x: x * 5.0, model)


def with_global(name: str, value: Any, model: Any, x: Any) -> Any:
    before = getattr(changed_model, name)
    setattr(changed_model, name, value)
    try:
        return model(x)
    finally:
        setattr(changed_model, name, before)


def class_attribute(model: Any) -> Any:
    def call(x: Any) -> Any:
        Net.negates = True
        try:
            return model(x)
        finally:
            Net.negates = False

    return call


def class_forward(model: Any) -> Any:
    own = nn.BatchNorm2d.forward

    def call(x: Any) -> Any:
        nn.BatchNorm2d.forward = lambda self, given: 2 * own(self, given)
        try:
            return model(x)
        finally:
            nn.BatchNorm2d.forward = own

    return call


SEEN: tuple[Way, ...] = (
    in_place, filled, loaded, assigned, new_parameter, new_twice, deleted_and_made, removed_bias, added_bias, new_layer,
    new_norm, new_act, no_norm, wrapped, appended, replaced_in_sequence, running_mean, running_var_in_place, eps,
    norm_trains, no_statistics, stride, padding, padding_mode, approximate, hooked, hooked_before, hooked_with_keywords,
    hooked_model, hooked_sequence, hooked_everywhere, pruned, weight_norm, spectral_norm, called_with_weights, vmapped,
    in_inference_mode, made_in_inference_mode, new_data, set_to, swapped, from_vector, foreach, applied, rounded,
    shared, in_bfloat16, in_float64, training, attribute, attribute_through_dict, attribute_of_config, new_config,
    in_list,
    in_dict, in_set, over_class, other_class, class_of_layer, forward_of_layer, forward_of_sequence, wrapped_forward,
    new_gain, gain_in_place, new_plain, plain_in_place, new_level, copied, by_keyword, variable, variable_in_dict,
    helper, class_attribute, class_forward,
)  # fmt: skip
STEPS: dict[str, Way] = {
    f"{kind.__name__} {options}": partial(stepped, kind=kind, **options)
    for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW)
    for options in ({"foreach": False}, {"foreach": True}, {"fused": True})
}
WAYS: dict[str, Way] = {**{way.__name__: way for way in SEEN}, **STEPS}


def through_data(model: Any) -> None:
    model.first.weight.data[3, 1] += 100.0


def through_numpy(model: Any) -> None:
    model.tail[0].weight.detach().numpy()[1] += 10.0


def through_dlpack(model: Any) -> None:
    torch.from_dlpack(model.norm.weight.detach()).mul_(2.0)


def through_storage(model: Any) -> None:
    model.norm.running_var.untyped_storage().fill_(64)


def array(model: Any) -> None:
    model.table[0] = 3.0


def environment(model: Any) -> Any:
    def call(x: Any) -> Any:
        os.environ["MODEL_CHANGES_FACTOR"] = "3"
        try:
            return model(x)
        finally:
            del os.environ["MODEL_CHANGES_FACTOR"]

    return call


# What leaves no trace, by a phrase of the list in the docstring of `patch`. Checksums see those of memory.
LISTED: dict[str, tuple[Way, str]] = {
    "through_data": (through_data, "`.data`"),
    "through_numpy": (through_numpy, "a NumPy array or a DLPack"),
    "through_dlpack": (through_dlpack, "a NumPy array or a DLPack"),
    "through_storage": (through_storage, "`untyped_storage()`"),
    "array": (array, "a NumPy array as an attribute"),
    "environment": (environment, "the environment"),
}
MEMORY = ("through_data", "through_numpy", "through_dlpack", "through_storage")
