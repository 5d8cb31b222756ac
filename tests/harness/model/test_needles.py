import pytest
from pydantic import ValidationError

from harness.model import TextContains


@pytest.mark.parametrize("needles", [[], [""], ["a", ""]], ids=str)
def test_an_empty_needle_is_an_authoring_error(needles: list[str]) -> None:
    with pytest.raises(ValidationError):
        TextContains.model_validate({"needles": needles})
