"""Products and convolutions in a graph of ATen operators, each with what follows it.

What follows (a norm, a bias, a residual, a factor, an activation) is taken in if nothing else reads the values between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import torch
from torch import fx

from ...model.fields import FLOAT32_END, FLOAT32_TINY
from ..fitness import CUDNN, MATMUL, why_left
from ..formats import FORMATS
from .activations import activation_of, gradient_of
from .inductor import hint_of
from .values import UNKNOWN_GEOMETRY, has_known_geometry, is_dense, same_shape, value_of

aten = torch.ops.aten
RESHAPES = frozenset({aten.reshape.default, aten.view.default, aten._unsafe_view.default})
CONVERT = torch.ops.prims.convert_element_type.default
PRODUCTS: dict[Any, tuple[int | None, int, int]] = {
    aten.mm.default: (None, 0, 1),
    aten.bmm.default: (None, 0, 1),
    aten.addmm.default: (0, 1, 2),
    aten.baddbmm.default: (0, 1, 2),
}  # the places of summand, a and b
VIEWS = frozenset({*RESHAPES, aten.permute.default, aten.expand.default, aten.unsqueeze.default, aten.squeeze.dim})
LIBRARIES = ("convolution", "scaled_dot_product", "tilewright")  # parts of names of operators that read memory
MULTIPLYING = ("cpu",)  # devices with kernels that multiply their result by a factor per channel
PER_CHANNEL: dict[Any, str] = {
    aten.sub.Tensor: "sub",
    aten.add.Tensor: "add",
    aten.mul.Tensor: "mul",
}


@dataclass
class Site:
    """One product or convolution; its kernel writes the value of `last`.

    `channels` are operations with one number per channel, as a norm has them: (operation, operand) in their order. They
    become one factor, which goes into the weight or is applied by the kernel, and one summand, which is its bias.
    `scale` is (images, factors) if a 1x1 convolution reads their product, with one factor for each channel of each
    image: each image gets a weight of its own. `names` lists what the kernel computes.
    """

    node: fx.Node
    kind: str
    last: fx.Node
    bias: fx.Node | None = None
    residual: fx.Node | None = None
    activation: str = "none"
    at: fx.Node | None = None  # what the activation was applied to: the result is the gradient of that
    alpha: float = 1.0
    shape: Any = None  # of the result, as the argument of the reshape that the kernel's result still needs
    channels: list[tuple[str, fx.Node]] = field(default_factory=list)
    scale: tuple[fx.Node, fx.Node] | None = None
    names: tuple[str, ...] = ()
    nodes: tuple[fx.Node, ...] = ()  # what was taken in
    shorter: list[Site] = field(default_factory=list)  # the same site with less of what follows, the shortest first
    reason: str | None = None  # why no kernel computes the product itself

    @property
    def label(self) -> str:
        """The operations of the site."""
        return " + ".join(self.names)

    @property
    def operands(self) -> tuple[fx.Node, fx.Node]:
        """The two tensors that are multiplied: a and b, or input and weight."""
        if self.kind == "conv":
            return self.node.args[0], self.node.args[1]  # type: ignore[return-value]
        _, a, b = PRODUCTS[self.node.target]
        return self.node.args[a], self.node.args[b]  # type: ignore[return-value]

    @property
    def has_bias(self) -> bool:
        """Whether the kernel adds a vector: a bias of its own, or one that comes from the operations per channel."""
        return self.bias is not None or any(name != "mul" for name, _ in self.channels)

    @property
    def multiplies_after(self) -> bool:
        """Whether the kernel multiplies by the factor of each channel, after its sums.

        Elsewhere the weight is multiplied before, as it is where each image has its own.
        """
        multiplying = value_of(self.node).device.type in MULTIPLYING
        return multiplying and self.scale is None and any(name == "mul" for name, _ in self.channels)

    @property
    def is_written(self) -> bool:
        """Whether Inductor has to write the value in memory: not only kernels that it fuses with read it.

        What our kernel takes in saves a kernel of Inductor's then; else that is part of a kernel which runs anyway.
        """
        return _is_written(self.last)

    def take(self, node: fx.Node, name: str, before: Iterable[fx.Node] = ()) -> None:
        """Take one more operation in: `node` has its result, `before` are nodes of it that come earlier."""
        self.shape = _reshaped(self)[1]
        self.last = node
        self.names = (*self.names, name)
        self.nodes = (*self.nodes, *before, node)

    def follow(self, replaced: dict[fx.Node, fx.Node]) -> None:
        """Read what stands in the place of nodes that were replaced since the site was found."""
        for site in (self, *self.shorter):
            site.bias = replaced.get(site.bias, site.bias)  # type: ignore[arg-type]
            site.residual = replaced.get(site.residual, site.residual)  # type: ignore[arg-type]
            site.at = replaced.get(site.at, site.at)  # type: ignore[arg-type]
            site.channels = [(name, replaced.get(node, node)) for name, node in site.channels]

    def scaled(self) -> Site | None:
        """Return the site with the factor before it; None if there is none that a kernel takes in."""
        found = scale_before(self.node) if self.kind == "conv" else None
        return None if found is None else replace(self, scale=found, names=("scale", *self.names), shorter=[])

    def keep(self) -> None:
        """Keep the site as it is now: what is taken in next may not be worth it."""
        self.shorter.append(replace(self, shorter=[]))


def sites(graph: fx.Graph) -> Iterator[Site]:
    """Return the products and convolutions of a graph with what follows them; no operation is in two of them."""
    taken: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        if node.target in PRODUCTS:
            site = _product(node)
            yield site if site.reason else _followed(site, taken)
        elif node.target is aten.convolution.default:
            yield _followed(Site(node, "conv", node, node.args[2], names=("convolution",)), taken)


def scale_before(conv: fx.Node) -> tuple[fx.Node, fx.Node] | None:
    """Return image and factor if all that a 1x1 convolution reads is their product, as squeeze-and-excite has it.

    The image is read as matrices, so it must be in channels-last memory. It is multiplied by fewer numbers than it has
    only if there are fewer output channels than pixels.
    """
    given: Any = conv.args
    product, weight, _, stride, padding, _, transposed, _, groups = given
    if product.target is not aten.mul.Tensor or len(product.users) != 1:
        return None
    filters, result = value_of(weight), value_of(conv)
    if transposed or groups != 1 or any(n != 1 for n in (*filters.shape[2:], *stride)) or any(padding):
        return None
    if not all(isinstance(arg, fx.Node) and isinstance(arg.meta.get("val"), torch.Tensor) for arg in product.args):
        return None
    image, factor = sorted(product.args, key=lambda arg: not same_shape(value_of(arg).shape, value_of(product).shape))
    x, each = value_of(image), value_of(factor)
    pixels = [hint_of(n) or 0 for n in x.shape[2:]]
    if not same_shape(each.shape, (*x.shape[:2], *[1] * len(pixels))) or x.dim() not in FORMATS:
        return None
    one_dtype = x.dtype is each.dtype is filters.dtype
    fewer = result.shape[1] < prod(pixels)
    return (image, factor) if one_dtype and fewer and is_dense(x.movedim(1, -1)) else None


def why_not(site: Site) -> str | None:
    """Return why no kernel of tilewright computes a site, with any operations after it; None if one may."""
    node = site.node
    if site.kind == "conv":
        if node.args[6]:
            return "transposed convolutions are Inductor's"
        if not has_known_geometry(*node.args[3:6]):
            return UNKNOWN_GEOMETRY
        return why_left(value_of(site.operands[0]), value_of(site.operands[1]), CUDNN)
    return site.reason or why_left(value_of(site.operands[0]), value_of(site.operands[1]), MATMUL)


def _product(node: fx.Node) -> Site:
    """Return a product with its own summand; a summand that no kernel adds is a reason to leave it."""
    site = Site(node, "gemm", node, names=(str(node.target).split(".")[1],))
    where, _, _ = PRODUCTS[node.target]
    if where is None:
        return site
    summand: Any = node.args[where]
    alpha, beta = (node.kwargs.get(name, 1) for name in ("alpha", "beta"))
    if not isinstance(alpha, (int, float)) or not isinstance(beta, (int, float)):
        site.reason = "alpha or beta is not known"
    elif beta != 1:
        site.reason = "the summand has a factor"
    elif _is_bias(summand, node):
        site.alpha, site.bias = float(alpha), summand
    elif _is_like(summand, node) and is_dense(value_of(summand)):
        site.alpha, site.residual = float(alpha), summand
    else:
        site.reason = "the summand is neither like a row nor like the result"
    return site


def _followed(site: Site, taken: set[fx.Node]) -> Site:
    """Take in what follows, as far as a kernel computes it."""
    if site.kind == "conv":
        _normed(site, taken)
    if site.activation == "none":
        _summed(site, taken)
    taken.update(site.nodes)
    return site


def _summed(site: Site, taken: set[fx.Node]) -> None:
    """Take in factors, summands and then an activation."""
    while True:
        at, _ = _reshaped(site)
        user = next(iter(at.users)) if len(at.users) == 1 else None
        if user is None or user in taken or not (_scaled(site, user) or _added(site, at, user)):
            break
    dtype = value_of(site.node).dtype
    found = activation_of(at, dtype)
    if found is not None and found[1] not in taken:
        site.keep()
        site.activation = found[0]
        site.take(found[1], found[0])
    elif site.kind == "gemm":
        _gone_back(site, gradient_of(at, dtype), taken)


def _gone_back(site: Site, found: tuple[str, fx.Node, fx.Node] | None, taken: set[fx.Node]) -> None:
    """Take the way back through an activation in, if its input lies like the result."""
    if found is None or found[2] in taken:
        return
    name, at, last = found
    if _is_like(at, last) and _can_add(site, at):
        site.keep()
        site.activation, site.at = name, at
        site.take(last, f"gradient of {name}")


def _is_written(node: fx.Node) -> bool:
    for user in node.users:
        if user.op == "output" or (user.target in VIEWS and _is_written(user)):
            return True
        if user.target in PRODUCTS or any(name in str(user.target) for name in LIBRARIES):
            return True
    return False


def _reshaped(site: Site) -> tuple[fx.Node, Any]:
    """Return the node that has a site's value after reshapes, and its shape: what changes each number commutes."""
    node, shape = site.last, site.shape
    while site.kind == "gemm" and len(node.users) == 1 and next(iter(node.users)).target in RESHAPES:
        node = next(iter(node.users))
        shape = node.args[1]
    return node, shape


def _normed(site: Site, taken: set[fx.Node]) -> None:
    """Take operations with one number per channel after a convolution, together with the conversion that ends them.

    Norms are computed in fp32. Models may say so (`norm(x.float())`), and torch 2.11 does not round their result if an
    activation in fp32 follows: our kernel rounds once then, after the activation.
    """
    steps, passed = list[tuple[str, fx.Node]](), list[fx.Node]()
    dtype = value_of(site.node).dtype
    node = _converted(site.node, torch.float32) or site.node
    while len(node.users) == 1:
        user = next(iter(node.users))
        operand = None if user in taken else _channel_operand(user, node, site.node)
        if operand is None:
            break
        steps.append((PER_CHANNEL[user.target], operand))
        node = user
        passed.append(node)
    if not steps:
        return
    end = _converted(node, dtype) or node
    if value_of(end).dtype is dtype:
        site.keep()
        site.channels = steps
        site.take(end, "norm", passed)
        return
    wide = _converted(node, value_of(node).dtype) or node  # torch 2.11 leaves a conversion that changes nothing
    found = activation_of(wide, value_of(wide).dtype)
    rounded = None if found is None else _converted(found[1], dtype)
    if found is not None and rounded is not None and rounded not in taken:
        site.keep()
        site.channels, site.activation = steps, found[0]
        site.take(wide, "norm", passed)
        site.take(rounded, found[0], [found[1]])


def _converted(node: fx.Node, dtype: torch.dtype) -> fx.Node | None:
    """Return the only thing that is made of a node, if that is its conversion to a dtype."""
    user = next(iter(node.users)) if len(node.users) == 1 else None
    return user if user is not None and user.target is CONVERT and user.args[1] is dtype else None


def _channel_operand(user: fx.Node, value: fx.Node, conv: fx.Node) -> fx.Node | None:
    """Return the operand of an operation that has one number for each channel of a convolution's result."""
    if user.target not in PER_CHANNEL or len(user.args) != 2 or user.kwargs:
        return None
    left, right = user.args
    if user.target is aten.sub.Tensor and left is not value:
        return None
    other = right if left is value else left
    if other is value or not isinstance(other, fx.Node) or not isinstance(other.meta.get("val"), torch.Tensor):
        return None
    result, found = value_of(conv), value_of(other)
    if found.dim() > result.dim() or found.device != result.device or found.dtype.is_complex:
        return None
    shape = [1] * (result.dim() - found.dim()) + list(found.shape)
    return other if _is_one_each(shape, result.shape[1]) else None


def _is_one_each(shape: list[Any], channels: Any) -> bool:
    return (
        all(type(n) is int for n in shape)
        and shape[1] == channels
        and all(n == 1 for i, n in enumerate(shape) if i != 1)
    )


def _scaled(site: Site, user: fx.Node) -> bool:
    """Take a factor of a product without summands."""
    if site.bias is not None or site.residual is not None or site.kind != "gemm":
        return False
    if user.target not in (aten.mul.Tensor, aten.div.Tensor) or len(user.args) != 2 or user.kwargs:
        return False
    factor: Any = user.args[1]
    if type(factor) not in (int, float) or not factor or value_of(user).dtype is not value_of(site.node).dtype:
        return False
    alpha = site.alpha * factor if user.target is aten.mul.Tensor else site.alpha / factor
    if not FLOAT32_TINY <= abs(alpha) < FLOAT32_END:  # a kernel would take it for 0 or infinity
        return False
    site.keep()
    site.alpha = alpha
    site.take(user, "scale")
    return True


def _added(site: Site, at: fx.Node, user: fx.Node) -> bool:
    """Take a summand: one value per column, or one of the shape of the result."""
    if user.target is not aten.add.Tensor or len(user.args) != 2 or user.kwargs:
        return False
    other = user.args[1] if user.args[0] is at else user.args[0]
    if other is at or not isinstance(other, fx.Node) or not isinstance(other.meta.get("val"), torch.Tensor):
        return False
    if site.bias is None and site.kind == "gemm" and _is_bias(other, at) and _is_bias(other, site.node):
        site.keep()
        site.bias = other
        site.take(user, "bias")
    elif site.residual is None and _is_like(other, at) and _can_add(site, other):
        site.keep()
        site.residual = other
        site.take(user, "add")
    else:
        return False
    return True


def _can_add(site: Site, other: fx.Node) -> bool:
    """Return whether kernels read a residual where it lies, in the shape of the result."""
    if site.kind == "conv":
        return True
    shape = value_of(site.node).shape
    same = same_shape(shape, value_of(other).shape)
    return is_dense(value_of(other)) and (same or (len(shape) == 2 and type(shape[1]) is int))


def _is_bias(other: fx.Node, node: fx.Node) -> bool:
    found, wanted = value_of(other), value_of(node)
    return found.dim() == 1 and found.dtype is wanted.dtype and same_shape(found.shape, wanted.shape[-1:])


def _is_like(other: fx.Node, node: fx.Node) -> bool:
    found, wanted = value_of(other), value_of(node)
    return found.dtype is wanted.dtype and found.device == wanted.device and same_shape(found.shape, wanted.shape)
