from typing import Any

import pytest

from harness.agents.model_loop.providers import checked_name, import_client, make_model
from harness.errors import HarnessError

URL = "http://127.0.0.1:8765/s/x/models"
SESSION = {
    "OPENAI_BASE_URL": f"{URL}/openai/v1",
    "OPENAI_API_KEY": "token",
    "ANTHROPIC_BASE_URL": f"{URL}/anthropic",
    "ANTHROPIC_API_KEY": "token",
    "GOOGLE_GEMINI_BASE_URL": f"{URL}/gemini",
    "GOOGLE_API_KEY": "token",
    "OLLAMA_HOST": f"{URL}/ollama",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "place"),
    [
        ("openai/gpt-5", "OpenAIResponsesModel", "/openai/v1"),
        ("openai-chat/gpt-5", "OpenAIChatModel", "/openai/v1"),
        ("anthropic/claude-haiku-4-5", "AnthropicModel", "/anthropic"),
        ("google/gemini-2.5-flash", "GoogleModel", "/gemini"),
        ("ollama/llama3", "OllamaModel", "/ollama/v1"),
    ],
)
@pytest.mark.parametrize("has_keys", [True, False])
def test_a_model_is_where_the_session_leads(
    name: str, kind: str, place: str, has_keys: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in SESSION:
        monkeypatch.delenv(each, raising=False)
    environment = {each: SESSION[each] for each in SESSION if has_keys or "KEY" not in each}
    model: Any = make_model(checked_name(name), environment)
    assert type(model).__name__ == kind
    assert str(model.base_url).rstrip("/") == f"{URL}{place}"


def test_the_daemon_of_ollama_is_found_without_a_session() -> None:
    model: Any = make_model("ollama:llama3", {})
    assert str(model.base_url).startswith("http://127.0.0.1:11434/v1")


def test_what_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(HarnessError, match="OPENAI_API_KEY"):
        make_model("openai:gpt-5", {})
    with pytest.raises(HarnessError, match="provider 'groq' needs"):
        checked_name("groq/llama")
    import_client("groq:llama")  # what is wrong is told later
