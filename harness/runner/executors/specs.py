"""Where the trials of a run are performed, as `--on` says it."""

from collections.abc import Callable, Mapping

from harness.errors import HarnessError
from harness.runner.executors.package import Travel
from harness.runner.executors.protocol import WorkerPlace, WorkerSetup

PlaceMaker = Callable[[str, WorkerSetup, Travel], WorkerPlace]
"""Makes a place of what follows the colon, an empty string without one."""


def _processes(rest: str, setup: WorkerSetup, travel: Travel) -> WorkerPlace:
    if travel.also or travel.most is not None:
        flag = "--ship" if travel.also else "--workers"
        raise HarnessError(f"{flag} is for --on ray", hint="leave it out")
    from harness.runner.executors.processes import MOST_PROCESSES, Processes

    number = int(rest) if rest.isdecimal() and len(rest) < 6 else 0
    if not 1 <= number <= MOST_PROCESSES:
        hint = f"processes:N with N from 1 to {MOST_PROCESSES}, such as processes:4"
        raise HarnessError(f"--on processes:{rest} tells no number of processes", hint=hint)
    return Processes(number, setup)


def _ray(rest: str, setup: WorkerSetup, travel: Travel) -> WorkerPlace:
    from harness.runner.executors.ray_cluster import RayCluster

    return RayCluster(rest, setup, travel)


PLACES: Mapping[str, PlaceMaker] = {
    "processes": _processes,
    "ray": _ray,
}
"""First word of `--on` to what it means. To add one: write its module, add its line."""


def make_place(spec: str, setup: WorkerSetup, travel: Travel) -> WorkerPlace:
    """The place that a spec names.

    Raises:
        HarnessError: There is none of this name, or what follows makes no sense.
    """
    kind, _, rest = spec.partition(":")
    make = PLACES.get(kind)
    if make is None:
        hint = "processes:N, or ray or ray:ADDRESS for a cluster"
        raise HarnessError(f"--on {spec!r} is no place for trials", hint=hint)
    return make(rest, setup, travel)
