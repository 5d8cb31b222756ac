import pytest
from pydantic import ValidationError

from mockserver.model import Fault


def test_a_fault_lasts_until_it_is_cleared_unless_counted() -> None:
    assert Fault(method="directory.*", status=429).times == "always"
    assert Fault(method="directory.*", status=429, times=2).times == 2


@pytest.mark.parametrize(
    "fields",
    [
        {"method": ""},
        {"method": "x", "status": 200},
        {"method": "x", "latency_ms": -1},
        {"method": "x", "times": "twice"},
        {"method": "x", "stauts": 500},
    ],
    ids=str,
)
def test_a_fault_that_cannot_be_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Fault.model_validate(fields)
