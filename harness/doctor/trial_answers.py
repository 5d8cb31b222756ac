"""What the server sent in a trial, and how often cases have something."""

from collections.abc import Iterable

from harness.model import TrialRecord


def sent_texts(record: TrialRecord) -> str:
    """Everything that the server sent in a trial, and what it was asked, as one text."""
    journal = record.journal
    asked = (f"{entry.method_id} {entry.params} {entry.body}" for entry in journal.entries)
    return "\n".join((*journal.bodies.values(), *asked))


def answers(record: TrialRecord) -> tuple[str, ...]:
    """What the server answered in a trial, in order, by the hashes of the answers."""
    return tuple(entry.response_ref for entry in record.journal.entries if not entry.after_close)


def count_sets(sets: Iterable[Iterable[str]]) -> dict[str, int]:
    """In how many of the sets each item is, most first."""
    counts: dict[str, int] = {}
    for each in sets:
        for item in each:
            counts[item] = counts.get(item, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
