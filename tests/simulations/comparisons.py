"""How often `compare` is wrong, by simulated pairs of runs whose true rates are known."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from harness.model import Comparison
from harness.statistics import Outcomes, Terms, compare
from harness.verdicts import regression_reasons

Rates = np.ndarray
Draw = Callable[[np.random.Generator, int], Rates]

SIZES = ((20, 3), (20, 5), (50, 3), (50, 5), (200, 3), (200, 5))
SMALL = ((8, 1), (8, 3), (20, 1), *SIZES)


def mixed(generator: np.random.Generator, cases: int) -> Rates:
    """Most cases nearly always pass, some seldom: Beta(2, 0.5)."""
    return generator.beta(2, 0.5, cases)


def good(generator: np.random.Generator, cases: int) -> Rates:
    """Every case passes always."""
    return np.ones(cases)


def even(generator: np.random.Generator, cases: int) -> Rates:
    """Every case passes half of the time: the most that chance can do."""
    return np.full(cases, 0.5)


def split(generator: np.random.Generator, cases: int) -> Rates:
    """Half of the cases always pass, half of them never."""
    return np.repeat([1.0, 0.0], [cases - cases // 2, cases // 2])


WORLDS: dict[str, Draw] = {"mixed": mixed, "good": good, "even": even, "split": split}


class Shares(NamedTuple):
    """Of all pairs of runs the share in which the comparison said something.

    Attributes:
        failed: It would end a run with exit code 4.
        not_worse: It claimed that the second run is not worse.
    """

    failed: float
    not_worse: float


def shares(
    world: str, cases: int, trials: int, *, drop: float = 0.0, pairs: int = 400, seed: int = 0
) -> Shares:
    """Compare pairs of simulated runs.

    Args:
        world: Which true rates the cases have.
        cases: Cases of the suite.
        trials: Trials a case, in both runs.
        drop: How much lower the mean true rate of the second run is, as a share.
        pairs: How many pairs of runs.
        seed: Of the simulation.
    """
    generator = np.random.default_rng([seed, cases, trials, list(WORLDS).index(world)])
    found = [_compared(generator, world, cases, trials, drop) for _ in range(pairs)]
    return Shares(
        failed=float(np.mean([bool(regression_reasons(each)) for each in found])),
        not_worse=float(np.mean([each.verdict == "not_worse" for each in found])),
    )


def _compared(
    generator: np.random.Generator, world: str, cases: int, trials: int, drop: float
) -> Comparison:
    before = WORLDS[world](generator, cases)
    after = lowered(before, drop)
    names = [f"c{number}" for number in range(cases)]
    hashes = dict.fromkeys(names, "h")
    sides = [
        Outcomes(
            run,
            hashes,
            {
                name: (int(count), trials)
                for name, count in zip(names, generator.binomial(trials, rates), strict=True)
            },
        )
        for run, rates in (("a", before), ("b", after))
    ]
    return compare(sides[0], sides[1], Terms(seed=int(generator.integers(1 << 30))))


def lowered(rates: Rates, drop: float) -> Rates:
    """Rates whose mean is lower by `drop`, each case giving what it can."""
    after, rest = rates.copy(), drop * len(rates)
    while rest > 1e-9:
        able = after > 1e-12
        if not able.any():
            raise ValueError(f"the mean rate cannot fall by {drop}")
        step = min(rest / able.sum(), float(after[able].min()))
        after[able] -= step
        rest -= step * able.sum()
    return after


def rows(pairs: int) -> Iterator[tuple[str, list[str]]]:
    """The tables of `docs/explanation/statistics.md`: a title, then the cells of each line."""
    yield "Exit code 4 where nothing changed", ["world", *(f"{c} x {t}" for c, t in SIZES)]
    for world in WORLDS:
        found = [shares(world, c, t, pairs=pairs).failed for c, t in SIZES]
        yield "", [world, *(f"{share:.3f}" for share in found)]
    yield "Exit code 4 after a drop", ["drop", *(f"{c} x {t}" for c, t in SIZES)]
    for drop in (0.05, 0.1, 0.2):
        found = [shares("mixed", c, t, drop=drop, pairs=pairs).failed for c, t in SIZES]
        yield "", [f"{drop * 100:.0f} points", *(f"{share:.2f}" for share in found)]
    yield (
        "Not worse, although the true rate fell by the margin",
        ["world", *(f"{c} x {t}" for c, t in SMALL)],
    )
    for world in WORLDS:
        found = [shares(world, c, t, drop=0.05, pairs=pairs).not_worse for c, t in SMALL]
        yield "", [world, *(f"{share:.3f}" for share in found)]
    yield (
        "Not worse, where nothing changed",
        ["world", *(f"{c} x {t}" for c, t in SMALL)],
    )
    for world in WORLDS:
        found = [shares(world, c, t, pairs=pairs).not_worse for c, t in SMALL]
        yield "", [world, *(f"{share:.2f}" for share in found)]
