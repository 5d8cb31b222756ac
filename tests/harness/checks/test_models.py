import pytest

from harness.checks.reply_schema import ModelError, import_model
from harness.model import Turn


def test_a_model_is_found_by_name() -> None:
    assert import_model("python:harness.model:Turn") is Turn


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("harness.model:Turn", "write python:package.module:Model", id="no-prefix"),
        pytest.param("python:harness.model", "write python:package.module:Model", id="no-name"),
        pytest.param("python:nowhere.at.all:Model", "cannot be imported", id="no-module"),
        pytest.param("python:harness.model:Nothing", "cannot be imported", id="no-attribute"),
        pytest.param("python:harness.model:Mode", "is not a Pydantic model", id="no-model"),
    ],
)
def test_a_model_that_cannot_be_had_is_named(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        import_model(name)
