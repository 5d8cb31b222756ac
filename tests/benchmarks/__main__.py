"""`make bench`: a line a figure, `name measured target ok|MISSED`; exits with 1 when one is missed.

Figures are ratios within one run, so that they hold on any machine; memory and CPU are absolute.
"""

import sys
from collections.abc import Callable, Iterable

from tests.benchmarks import (
    capture_speed,
    cassette_loading,
    catalog_speed,
    cli_start,
    declared_speed,
    fronts_speed,
    grpc_speed,
    harness_trials,
    install_size,
    large_bodies,
    leak_speed,
    logging_query,
    mcp_speed,
    model_speed,
    monitoring_query,
    peers,
    redaction_speed,
    replay_http,
    replay_speed,
    screening_speed,
    server_memory,
    server_speed,
    stored_trials,
    stub_speed,
    trajectory_matching,
)
from tests.benchmarks.figures import Figure

SUITE: tuple[Callable[[], Iterable[Figure]], ...] = (
    server_speed.figures,
    declared_speed.figures,
    replay_http.figures,
    stub_speed.figures,
    catalog_speed.figures,
    cassette_loading.figures,
    capture_speed.figures,
    large_bodies.figures,
    server_memory.figures,
    fronts_speed.figures,
    grpc_speed.figures,
    mcp_speed.figures,
    model_speed.figures,
    install_size.figures,
    cli_start.figures,
    harness_trials.figures,
    stored_trials.figures,
    peers.figures,
    trajectory_matching.figures,
    leak_speed.figures,
    logging_query.figures,
    monitoring_query.figures,
    redaction_speed.figures,
    replay_speed.figures,
    screening_speed.figures,
)


def main() -> int:
    missed = 0
    for benchmark in SUITE:
        for figure in benchmark():
            sys.stdout.write(f"{figure}\n")
            sys.stdout.flush()
            missed += not figure.ok
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
