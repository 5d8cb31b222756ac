"""The providers of models: to add one, write its module and add its line."""

from mockserver.models.providers.anthropic import Anthropic
from mockserver.models.providers.bedrock import Bedrock
from mockserver.models.providers.gemini import Gemini
from mockserver.models.providers.ollama import Ollama
from mockserver.models.providers.openai import OpenAi
from mockserver.models.providers.provider import Provider

PROVIDERS: tuple[Provider, ...] = (OpenAi(), Anthropic(), Gemini(), Bedrock(), Ollama())
"""All providers, in the order in which a path without a host is held against them."""
