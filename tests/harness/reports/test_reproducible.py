from harness.reports.reproducible import replay_name, reproducible
from tests.harness.records import result


def test_only_a_replay_forgets_when_and_where_it_was() -> None:
    plain = result(folder="runs/r1")
    assert reproducible(plain) is plain
    asked = plain.manifest.model_copy(update={"options": {"replay": True}, "started_at": "now"})
    told = reproducible(plain.model_copy(update={"manifest": asked}))
    assert (told.folder, told.manifest.started_at) == ("", "")
    assert told.manifest.run == replay_name(asked)


def test_the_name_of_a_replay_is_what_was_replayed() -> None:
    one = result().manifest
    same = one.model_copy(update={"run": "other", "started_at": "later", "note": "why"})
    other = one.model_copy(update={"agent": "echo"})
    assert replay_name(one) == replay_name(same) != replay_name(other)
    assert replay_name(one).startswith("replay-")
