from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.logging.query import EARLIEST, LATEST, Entry
from mockserver.apis.logging.state import Timeline, entry_key, parent_of_log

ENTRIES = st.lists(
    st.tuples(st.integers(0, 9), st.text("abc", min_size=1, max_size=2)), max_size=12
).map(lambda pairs: [Entry({"insertId": name}, name, ns) for ns, name in sorted(pairs)])


@given(ENTRIES, st.integers(-1, 10), st.integers(-1, 10))
def test_a_span_is_the_same_in_both_directions(entries: list[Entry], one: int, other: int) -> None:
    line, start, end = Timeline(entries), min(one, other), max(one, other)
    forward = line.between(start, end)
    assert list(forward) == [entry for entry in entries if start <= entry.ns < end]
    backward = line.between(start, end, descending=True)
    assert list(backward) == sorted(forward, key=lambda entry: -entry.ns)


@given(ENTRIES)
def test_the_widest_span_is_everything(entries: list[Entry]) -> None:
    assert list(Timeline(entries).between(EARLIEST, LATEST)) == entries


def test_a_key_says_what_makes_two_entries_one() -> None:
    log = "projects/p/logs/a%2Fb"
    assert parent_of_log(log) == "projects/p"
    one = entry_key(log, "1970-01-01T00:00:01Z", "i")
    assert one == entry_key("projects/p/logs/z", "1970-01-01T01:00:01+01:00", "i")
