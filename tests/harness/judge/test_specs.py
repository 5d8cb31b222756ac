import sys

import pytest

from harness.errors import HarnessError
from harness.judge import judge_spec
from harness.judge.specs import PROVIDERS, model_of


def test_a_spec_is_provider_and_model() -> None:
    spec = judge_spec("openai:team/model:v1")
    assert (spec.provider, spec.model, str(spec)) == (
        "openai", "team/model:v1", "openai:team/model:v1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [("openai", "not written 'openai'"), ("openai:", "not written"), ("acme:m", "no provider")],
    ids=["no-model", "empty-model", "provider"],
)
def test_anything_else_is_told(text: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        judge_spec(text)


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_without_a_key_the_variable_is_named(provider: str) -> None:
    with pytest.raises(HarnessError, match=PROVIDERS[provider][0][0]):
        model_of(judge_spec(f"{provider}:m"), {})


def test_an_endpoint_of_ones_own_needs_no_key() -> None:
    environment = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert model_of(judge_spec("openai:m"), environment).model_name == "m"


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(HarnessError, match=r"pip install 'understudy\[judge\]'"):
        model_of(judge_spec("openai:m"), {"OPENAI_API_KEY": "k"})
