"""Models by `PROVIDER/NAME`, at the endpoints and with the keys that a session's variables name."""

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from harness.errors import HarnessError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

EXAMPLE = "model:openai/gpt-5-mini, model:anthropic/claude-haiku-4-5, model:google/gemini-2.5-flash"
MISSING = "pip install 'understudy[model]'"


def checked_name(text: str) -> str:
    """`PROVIDER/NAME` as pydantic-ai writes it, `PROVIDER:NAME`.

    Raises:
        HarnessError: It is something else, or the provider is unknown.
    """
    provider, slash, name = text.partition("/")
    if not slash or not provider or not name:
        raise HarnessError(f"'model:{text}' names no provider and model", hint=EXAMPLE)
    try:
        from pydantic_ai.providers import infer_provider_class
    except ImportError as error:
        raise HarnessError(f"model: agents need {error.name}", hint=MISSING) from None
    try:
        infer_provider_class(provider)
    except ValueError:
        raise HarnessError(f"there is no provider {provider!r} of models", hint=EXAMPLE) from None
    except ImportError as error:
        said = f"provider {provider!r} needs {error.name or 'a package that is not installed'}"
        hint = f"pip install 'pydantic-ai-slim[{provider}]'"
        raise HarnessError(said, hint=hint) from None
    return f"{provider}:{name}"


def make_model(name: str, environment: Mapping[str, str]) -> "Model":
    """The model.

    Args:
        name: As `checked_name` returns it.
        environment: The variables of this process and those of the session over them.

    Raises:
        HarnessError: There is no key, or what else pydantic-ai says.
    """
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        return infer_model(name, lambda provider: _provider(provider, environment))
    except (UserError, ImportError) as error:
        raise HarnessError(f"model {name}: {str(error).splitlines()[0]}") from None


def import_client(name: str) -> None:
    """Import what asks a model, so that the first trial does not take the time for it."""
    endpoints = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST")
    with contextlib.suppress(HarnessError):  # what is wrong is told with the session's variables
        make_model(name, dict.fromkeys(endpoints, "http://127.0.0.1:9"))


def _provider(name: str, environment: Mapping[str, str]) -> Any:
    """A provider; those that are not here read the variables of this process alone."""
    from pydantic_ai.providers import infer_provider

    family = name.partition("-")[0]
    match family:
        case "openai":
            from pydantic_ai.providers.openai import OpenAIProvider

            key, url = _of(environment, "OPENAI_API_KEY"), _of(environment, "OPENAI_BASE_URL")
            return OpenAIProvider(api_key=_key(key, url), base_url=url)
        case "anthropic":
            from pydantic_ai.providers.anthropic import AnthropicProvider

            key, url = _of(environment, "ANTHROPIC_API_KEY"), _of(environment, "ANTHROPIC_BASE_URL")
            return AnthropicProvider(api_key=_key(key, url), base_url=url)
        case "google" if name in {"google", "google-gla"}:
            from pydantic_ai.providers.google import GoogleProvider

            key = _of(environment, "GOOGLE_API_KEY") or _of(environment, "GEMINI_API_KEY")
            url = _of(environment, "GOOGLE_GEMINI_BASE_URL")
            return GoogleProvider(api_key=_key(key, url) or "", base_url=url)
        case "ollama":
            from pydantic_ai.providers.ollama import OllamaProvider

            host = _of(environment, "OLLAMA_HOST") or "http://127.0.0.1:11434"
            place = host if "://" in host else f"http://{host}"
            return OllamaProvider(base_url=f"{place.rstrip('/')}/v1")
        case _:
            return infer_provider(name)


def _of(environment: Mapping[str, str], name: str) -> str | None:
    return environment.get(name) or None


def _key(key: str | None, url: str | None) -> str | None:
    """An endpoint of one's own may need no key."""
    return key or ("none" if url else None)
