"""JSON patches: how much they may do, and that they are applied wholly or not at all."""

from typing import Any
from unittest import mock

import pytest

from mockserver.declared import methods
from mockserver.googleapi import ApiError
from mockserver.model import Json

COPY = {"op": "copy", "from": "/a", "path": "/b"}
ADD = {"op": "add", "path": "/b", "value": "0123456789"}
TEST = {"op": "test", "path": "/a", "value": "0123456789"}


@pytest.mark.parametrize(
    ("operations", "found"),
    [
        ([], {"a": "0123456789"}),
        ([COPY], {"a": "0123456789", "b": "0123456789"}),
        ([ADD, {**ADD, "path": "/c"}], dict.fromkeys("abc", "0123456789")),
        ([ADD, {**COPY, "path": "/c"}], "The JSON patch makes too much of the resource."),
        ([TEST] * 3, {"a": "0123456789"}),
        ([TEST] * 4, "A JSON patch of more than 3 operations is not taken."),
        ([{"op": "remove"}],
         "The JSON patch is not valid: Operation must have a 'path' member"),
        ([{**ADD, "path": "/x/y"}],
         "The JSON patch cannot be applied: member 'x' is not there"),
    ],
    ids=str,
)  # fmt: skip
def test_a_patch_does_so_much_and_no_more(operations: Json, found: Any) -> None:
    row = {"a": "0123456789"}
    with mock.patch.multiple(methods, _MOST=3, _LARGEST=len('{"a":"0123456789","b":"0123456789"}')):
        if isinstance(found, dict):
            assert methods._json_patched(row, operations) == found
        else:
            with pytest.raises(ApiError) as refused:
                methods._json_patched(row, operations)
            assert refused.value.message == found
    assert row == {"a": "0123456789"}
