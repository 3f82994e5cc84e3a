"""How a kernel is chosen: the selectors that come with tilewright, and one of your own.

Prints:
    first_fit      ...
    rules          ...
    analytical     ...
    chain          ...
    smallest_tile  ... tile of ...
"""

import tilewright as tw
from tilewright.model.selector import Ranked

problem = tw.problem_from_dict({"op": "gemm", "m": 96, "n": 96, "k": 64, "dtype": "fp32", "layout": "rrr"})


class SmallestTile:
    """Prefers the kernel with the smallest register tile."""

    name = "smallest_tile"

    def rank(self, problem, candidates, device):
        def area(candidate):
            return candidate.spec.algorithm.mr * candidate.spec.algorithm.nr, candidate.key

        return [Ranked(c, None, f"tile of {area(c)[0]}") for c in sorted(candidates, key=area)]


for selector in ("first_fit", "rules", "analytical", "chain", SmallestTile()):
    dispatcher = tw.Dispatcher(selector=selector)
    best = dispatcher.explain(problem).chosen
    print(f"{dispatcher.selector.name:14} {best.candidate.spec.algorithm.label()}: {best.reason}")
