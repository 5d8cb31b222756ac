from mockserver.model import Journal, JournalEntry, Miss

ENTRY = JournalEntry(
    seq=1,
    at="2026-11-01T00:00:00.000Z",
    session="s1",
    method_id="directory.users.get",
    http_method="GET",
    path="/admin/directory/v1/users/none",
    params={"userKey": "none"},
    status=404,
    source="state",
    duration_ms=0.4,
    miss=Miss(blame="fixture_gap", reason="no such user", nearest="nora@example.com"),
)


def test_a_journal_survives_its_own_json() -> None:
    journal = Journal(entries=(ENTRY,), bodies={"ab": "{}"}, evicted=2)
    assert Journal.model_validate_json(journal.model_dump_json()) == journal
