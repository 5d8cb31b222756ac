from harness.doctor.trial_answers import answers, count_sets, sent_texts
from mockserver.model import Journal
from tests.harness.records import entry, record


def test_what_was_answered_is_told_in_order_and_as_one_text() -> None:
    entries = (
        entry("tools.lookUp", response_ref="h0"),
        entry("directory.users.list", seq=2, response_ref="h1"),
        entry("", seq=3, response_ref="h2", after_close=True),
    )
    trial = record(journal=Journal(entries=entries, bodies={"h0": '{"a": 1}'}))
    assert answers(trial) == ("h0", "h1")
    assert '{"a": 1}' in sent_texts(trial)
    assert "directory.users.list" in sent_texts(trial)
    assert count_sets([{"b", "a"}, {"b"}]) == {"b": 2, "a": 1}
