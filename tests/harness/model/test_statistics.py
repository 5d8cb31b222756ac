from harness.model import LatencyFigures, RunStatistics

NOTHING = LatencyFigures(n=0)


def test_figures_survive_the_way_through_json() -> None:
    made = RunStatistics(
        mean=0.5, cases_counted=1, pass_hat={3: (0.5, 1)}, total=NOTHING, first_byte=NOTHING,
        tools=NOTHING,
    )  # fmt: skip
    assert RunStatistics.model_validate_json(made.model_dump_json()) == made
