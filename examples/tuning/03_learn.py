"""Train a model on measurements and judge it on problems that it has not seen.

The measurements are made up here: the cost model's times, bent in ways that it does not know.

Needs: lightgbm, scipy

Prints:
    ... rows of ... problems: gemm_fp32-cpu-x86_64_v4, ... problems held out
    analytical: ...% of the best
    learned: ...% of the best
    learned is better: True
"""

import numpy as np

from tilewright.backends import get_backend_op
from tilewright.model.canonical import canonical
from tilewright.model.device import Device
from tilewright.ops.gemm.samples import sample_problems
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.learned import Learned
from tilewright.settings import Settings
from tilewright.store import Measurement
from tilewright.tune.learn.dataset import datasets_of
from tilewright.tune.learn.evaluate import judge
from tilewright.tune.learn.session import models_of
from tilewright.tune.learn.train import TrainOptions, train

device = Device("a CPU", "x86_64_v4", 1, l1_bytes=48 << 10, l2_bytes=2 << 20, llc_bytes=32 << 20, threads=1)
registry, predict, rng = default_registry(["cpu"]), get_backend_op("cpu", "gemm").predict, np.random.default_rng(0)


def measured(problem, candidate) -> Measurement:
    spec = candidate.spec
    bend = (1.6 if spec.algorithm.pack_a else 1.0) * (0.7 if spec.algorithm.nr == 32 else 1.0)
    seconds = predict(candidate, problem, device) * bend
    return Measurement(
        problem.to_dict(), problem.tuning_key, spec.to_dict(), spec.digest, canonical(candidate.launch), "a build",
        device.to_dict(), samples=(float(seconds),), error=0.0, tolerance=1.0, tier="float64",
    )  # fmt: skip


rows = []
for problem in sample_problems(30, 0, most_flops=5e7):
    legal = registry.consider(problem, device).legal
    rows += [measured(problem, legal[i]) for i in rng.choice(len(legal), min(20, len(legal)), replace=False)]
data = datasets_of(rows)[0]
held = data.held_out(0.33)
model = train(data.part([not h for h in held]), TrainOptions(trees=40))
scores = judge(data.part(held), [get_selector("analytical"), Learned(models_of(model), Settings.from_env())])

print(f"{data.count} rows of {len(data.problems)} problems: {data.name}, {sum(held)} problems held out")
means = {name: score.summary()["mean"] for name, score in scores.items()}
for name, mean in means.items():
    print(f"{name}: {mean:.1%} of the best")
print("learned is better:", means["learned"] > means["analytical"])
