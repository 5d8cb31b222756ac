import pytest
from pydantic import ValidationError

from harness.model import Frozen


class _Value(Frozen):
    name: str = ""


def test_a_value_is_never_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        _Value(name="a").name = "b"  # type: ignore[misc]


def test_a_field_that_is_not_known_is_an_error() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        _Value.model_validate({"nam": "a"})
