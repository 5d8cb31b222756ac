"""`make bench`: a line a figure, `name measured target ok|MISSED`; exits with 1 when one is missed.

Names of modules choose some: `make bench BENCH="http_speed stub_speed"`.

Figures are ratios within one run, so that they hold on any machine; memory and CPU are absolute.
"""

import sys
from collections.abc import Callable, Iterable
from types import ModuleType

from tests.benchmarks import (
    capture_speed,
    cassette_loading,
    catalog_speed,
    cli_start,
    collection_speed,
    declared_speed,
    grpc_speed,
    harness_trials,
    hoverfly_speed,
    http_speed,
    inspect_trials,
    install_size,
    large_bodies,
    leak_speed,
    logging_query,
    mcp_speed,
    model_replay,
    monitoring_query,
    page_speed,
    peers,
    redaction_speed,
    replay_speed,
    screening_speed,
    search_speed,
    server_memory,
    server_speed,
    span_speed,
    spread_trials,
    start_speed,
    stored_trials,
    stream_speed,
    stub_speed,
    trajectory_matching,
    worker_speed,
)
from tests.benchmarks.figures import Figure

MODULES: tuple[ModuleType, ...] = (
    http_speed,
    server_speed,
    collection_speed,
    declared_speed,
    start_speed,
    stub_speed,
    hoverfly_speed,
    catalog_speed,
    cassette_loading,
    capture_speed,
    large_bodies,
    server_memory,
    grpc_speed,
    mcp_speed,
    model_replay,
    stream_speed,
    span_speed,
    install_size,
    cli_start,
    harness_trials,
    inspect_trials,
    spread_trials,
    stored_trials,
    page_speed,
    peers,
    trajectory_matching,
    leak_speed,
    logging_query,
    monitoring_query,
    redaction_speed,
    replay_speed,
    screening_speed,
    search_speed,
    worker_speed,
)
SUITE: dict[str, Callable[[], Iterable[Figure]]] = {
    module.__name__.rpartition(".")[2]: module.figures for module in MODULES
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITE]
    if unknown:
        sys.stderr.write(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(SUITE)}\n")
        return 2
    missed = 0
    for name in names or SUITE:
        for figure in SUITE[name]():
            sys.stdout.write(f"{figure}\n")
            sys.stdout.flush()
            missed += not figure.ok
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
