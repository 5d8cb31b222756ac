from dataclasses import fields

from harness.cli.options import ReplayOptions


def test_nothing_is_replayed_unless_it_is_asked_for() -> None:
    assert {item.name: item.default for item in fields(ReplayOptions)} == {
        "replay": False,
        "strict": False,
        "match": "",
        "barriers": None,
    }
