from typing import Any

import pytest

from mockserver.snapshots.contracts import items_of


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ([1, 2], [("/0", 1), ("/1", 2)]),
        ({"items": [1]}, [("/items/0", 1)]),
        ({"a~/b": [1], "c": []}, [("/a~0~1b/0", 1)]),
        ({"id": "C01"}, [("", {"id": "C01"})]),
        ({}, [("", {})]),
        (None, []),
        ("text", []),
    ],
    ids=str,
)
def test_the_resources_of_every_form_are_found(value: Any, items: list[Any]) -> None:
    assert list(items_of(value)) == items
