"""Which model judges, and where it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from harness.errors import HarnessError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

PROVIDERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "openai": (("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
    "anthropic": (("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    "google": (("GOOGLE_API_KEY", "GEMINI_API_KEY"), "GOOGLE_GEMINI_BASE_URL"),
}
"""Provider to the variables that hold its key, and the one that names another endpoint."""

_EXAMPLE = "openai:MODEL, anthropic:MODEL or google:MODEL"


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """A model of a provider; `openai` is any endpoint that speaks like OpenAI's chat."""

    provider: str
    model: str

    @override
    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


def judge_spec(text: str) -> JudgeSpec:
    """Reads `provider:model`.

    Raises:
        HarnessError: It is something else.

    >>> judge_spec("openai:some-model").model
    'some-model'
    """
    provider, colon, model = text.partition(":")
    if not colon or not model:
        raise HarnessError(f"a judge is not written {text!r}", hint=f"--judge {_EXAMPLE}")
    if provider not in PROVIDERS:
        raise HarnessError(f"there is no provider {provider!r} of judges", hint=_EXAMPLE)
    return JudgeSpec(provider, model)


def model_of(spec: JudgeSpec, environment: Mapping[str, str], retries: int = 2) -> "Model":
    """The model, reached with the keys and at the endpoint that the environment names.

    Args:
        spec: Which model.
        environment: Keys and endpoints; a key may be missing where an endpoint is named.
        retries: Further attempts of the provider's client after transport errors and 429.

    Raises:
        HarnessError: The extra is not installed, or there is no key.
    """
    keys, base = PROVIDERS[spec.provider]
    url = environment.get(base) or None
    key = next((environment[name] for name in keys if environment.get(name)), "")
    if not key and url is None:
        raise HarnessError(f"judge {spec}: there is no key", hint=f"set {' or '.join(keys)}")
    try:
        return _BUILT[spec.provider](spec.model, key or "none", url, retries)
    except ImportError as error:
        hint = "pip install 'understudy[judge]'"
        raise HarnessError(f"judges need pydantic-ai: {error.name} is missing", hint=hint) from None


def _openai(model: str, key: str, url: str | None, retries: int) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=url, max_retries=retries)
    return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))


def _anthropic(model: str, key: str, url: str | None, retries: int) -> "Model":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=key, base_url=url, max_retries=retries)
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=client))


def _google(model: str, key: str, url: str | None, retries: int) -> "Model":
    from google.genai.types import HttpRetryOptions
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    again = HttpRetryOptions(attempts=retries + 1)
    provider = GoogleProvider(api_key=key, base_url=url, retry_options=again)
    return GoogleModel(model, provider=provider)


_BUILT = {"openai": _openai, "anthropic": _anthropic, "google": _google}
