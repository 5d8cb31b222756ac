from dataclasses import FrozenInstanceError

import pytest

from mockserver.cassettes.replay import Conflict, Unmatched, Unused


@pytest.mark.parametrize(
    "result",
    [
        Unmatched("no recording matches this request"),
        Unused("c.yaml", 1, "GET", "https://api.example.com/a"),
        Conflict("GET", "https://api.example.com/a", ("a.yaml", 1), ("b.yaml", 1)),
    ],
    ids=["unmatched", "unused", "conflict"],
)
def test_a_result_is_a_value(result: object) -> None:
    with pytest.raises((FrozenInstanceError, TypeError)):
        result.reason = "x"  # type: ignore[attr-defined]
