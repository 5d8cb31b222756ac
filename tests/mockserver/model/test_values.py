import pytest
from pydantic import ValidationError

from mockserver.model import Frozen


class Point(Frozen):
    x: int


def test_a_value_cannot_be_changed_and_knows_its_fields() -> None:
    point = Point(x=1)
    with pytest.raises(ValidationError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(ValidationError):
        Point.model_validate({"x": 1, "y": 2})
