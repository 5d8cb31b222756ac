"""`understudy runs plan`: how many trials a comparison needs."""

from typing import Annotated

import typer

from harness.cli.options import RUNS, RunDir
from mockserver.commands import AsJson, print_json

_DROPS = (0.05, 0.1, 0.2)
_TRIALS = (1, 3, 5, 10, 20)


def plan(
    run: Annotated[
        str, typer.Argument(help="The run with the pass rates: its id or folder, or latest.")
    ],
    *,
    drop: Annotated[
        float,
        typer.Option(min=0.01, max=1, help="The drop of every pass rate that must be detected."),
    ] = 0.1,
    power: Annotated[
        float,
        typer.Option(min=0.5, max=0.99, help="The probability with which it must be detected."),
    ] = 0.8,
    most: Annotated[int, typer.Option(min=1, help="The largest number of trials to try.")] = 100,
    seed: Annotated[int, typer.Option(help="The seed of the simulation.")] = 0,
    run_dir: RunDir = RUNS,
    as_json: AsJson = False,
) -> None:
    """Compute how many trials per case are needed to detect a drop.

    It simulates pairs of runs with the pass rates of a run, and compares them as `understudy
    compare` does.

    Example: understudy runs plan latest --drop 0.1
    """
    from harness.cli.options import run_path
    from harness.errors import HarnessError
    from harness.runner import stored_outcomes
    from harness.statistics import power as chance
    from harness.statistics import trials_needed

    found = stored_outcomes(run_path(run, run_dir))
    rates = [passed / valid for passed, valid in found.counts.values() if valid]
    if not rates:
        raise HarnessError(f"run {run} has no valid trial", hint="there are no rates to plan with")
    mean = sum(rates) / len(rates)
    chances = {
        trials: [chance(rates, trials, each, seed=seed) for each in _DROPS] for trials in _TRIALS
    }
    needed = trials_needed(rates, drop, target=power, most=most, seed=seed)
    if as_json:
        print_json(
            {
                "cases": len(rates),
                "mean_rate": mean,
                "chances": [each for row in chances.values() for each in row],
                "drop": drop,
                "power": power,
                "trials_needed": needed,
            }
        )
        return
    typer.echo(f"{len(rates)} cases, mean rate {mean:.3f}; chance to see a drop")
    typer.echo("trials" + "".join(f"{each:>8.0%}" for each in _DROPS))
    for trials, row in chances.items():
        typer.echo(f"{trials:>6}" + "".join(f"{each.power:>8.2f}" for each in row))
    told = f"{needed} trials a case see" if needed else f"not even {most} trials a case see"
    typer.echo(f"{told} a drop of {drop:.0%} with a power of {power:.0%}")
