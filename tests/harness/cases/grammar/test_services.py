from typing import Any

import pytest
from pydantic import ValidationError

from harness.cases.grammar import ObservationsBlock, ServiceBlock


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({}, "needs 'status' or 'observations'"),
        ({"status": "success", "code": "X"}, "'code' needs"),
        ({"observations": {"max": 1}, "code": "X"}, "'code' needs"),
        ({"status": "client_error", "observations": {"max": 1}}, "an error has no observations"),
        ({"observations": {}}, "no review could fail this"),
        ({"observations": {"min": 0}}, "no review could fail this"),
        ({"observations": {"min": 3, "max": 2}}, "below the 3"),
        ({"observations": {"max": 0, "refs": ["A"]}}, "below the 1"),
        ({"status": "server_error"}, "client_error"),
    ],
    ids=str,
)
def test_what_cannot_fail_or_cannot_hold_is_refused(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ServiceBlock.model_validate(written)


@pytest.mark.parametrize(
    ("written", "counted"),
    [({"min": 1}, True), ({"max": 0}, True), ({"refs": "A"}, False)],
    ids=str,
)
def test_a_count_is_asked_for_by_a_bound(written: dict[str, Any], counted: bool) -> None:
    assert ObservationsBlock.model_validate(written).counted == counted
