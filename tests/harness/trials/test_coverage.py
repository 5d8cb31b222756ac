import pytest

from harness.trials.coverage import covered_by_trial
from harness.trials.records import ToolCall, Trace, TrialRecord
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply

REQUESTS = (
    entry("directory.users.get", params={"userKey": "a"}),
    entry("tools.find", seq=2, status=404, body={"city": "Bern"}),
    entry("directory.users.list", seq=3, parent=2),
    entry("", seq=4),
    entry("x.y", seq=5, status=799),
)
BROKEN = ToolCall(name="find", args={"id": 4}, status="error", result="no user 4711 'x'")
TRIALS: list[tuple[TrialRecord, str]] = [
    (record(reply("done", call("find", id=4), call("find", id=5))), "find(id); answered"),
    (record(reply("", BROKEN)), "find(id); failed find: no user N ...; no answer"),
    (record("done", trace=Trace(tool_calls=(call("look"),))), "look(); answered"),
    (record(outcome="agent_error", error="exit code 3"), "no tools; failed: exit code N"),
    (record("done", journal=Journal(entries=REQUESTS)),
     "directory.users.get(userKey), find(city), x.y(); failed find: Not Found;"
     " failed x.y: an unknown status; answered"),
    (record(outcome="infra_error", error="gone"), ""),
    (record("made up", synthetic=True), ""),
]  # fmt: skip


@pytest.mark.parametrize(("trial", "covers"), TRIALS, ids=range(len(TRIALS)))
def test_what_a_trial_covers(trial: TrialRecord, covers: str) -> None:
    assert covered_by_trial(trial) == covers
