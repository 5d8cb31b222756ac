from collections.abc import Callable
from pathlib import Path

import pytest

from harness.agents import Echo
from harness.environment import attach_environment
from harness.errors import InfrastructureError
from harness.model import Case
from harness.runner import RunContext, begin, decide, missing, perform
from harness.runner.canaries import _wrong, ask_canary
from harness.verdicts import Limits
from tests.harness.conftest import serving
from tests.harness.runner.test_run import Counting, now, order

Context = Callable[..., RunContext]


async def test_a_server_that_knows_its_world_is_well(context: Context) -> None:
    canary = await ask_canary(context(Echo()), "middle")
    assert (canary.when, canary.error) == ("middle", "")
    assert canary.duration_ms > 0


@pytest.mark.parametrize(
    ("status", "content"),
    [(503, b'{"name": "Canary"}'), (200, b"<p>"), (200, b'{"name": "Office"}'), (200, b"[]")],
)
def test_any_other_answer_is_wrong(status: int, content: bytes) -> None:
    assert f"answered {status}" in _wrong(status, content)


async def test_a_run_asks_before_in_the_middle_and_after(
    tmp_path: Path, cases: tuple[Case, ...], context: Context
) -> None:
    folder = begin(order(cases, trials=2), tmp_path, now)
    counting = Counting()
    await perform(context(Echo()), folder, missing(folder, cases), counting, counting.stop)
    assert [each.when for each in folder.canaries()] == ["before", "middle", "after"]
    assert decide(folder, Limits()).canaries == folder.canaries()


async def test_a_server_that_is_gone_lets_no_trial_be_run(
    tmp_path: Path, cases: tuple[Case, ...], context: Context, office: Path
) -> None:
    """Pitfall 5: nothing is taken for the agent's failure."""
    with serving(office) as (url, process):
        environment = await attach_environment(url)
        process.kill()
        process.wait()
    shared = context(Echo())
    gone = RunContext(
        run="gone", suite=office, hashes=shared.hashes, settings=shared.settings,
        driver=Echo(), environment=environment, clock=now,
    )  # fmt: skip
    folder, counting = begin(order(cases), tmp_path, now), Counting()
    with pytest.raises(InfrastructureError, match="nothing was run: no answer from"):
        await perform(gone, folder, missing(folder, cases), counting, counting.stop)
    await environment.close()
    assert folder.records().count() == 0
