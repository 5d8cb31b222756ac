"""The scripted models of a suite, by what a request asks of a provider."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.storage import MODELS, suite_files

if TYPE_CHECKING:
    from mockserver.models.agent_description import AgentDescription
    from mockserver.models.providers.provider import Operation, Provider
    from mockserver.models.script import PlacedReply


AGENTS = "agents"
"""The place of agents in a session."""
_WILD = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class ModelRoute:
    """What a request asks of a provider of models.

    Attributes:
        operation: What is asked.
        host: The host of the provider that it came to, or an empty string.
    """

    operation: "Operation"
    host: str = ""


class Models:
    """The scripted models of a suite.

    Attributes:
        replies: All of their replies, in the order in which they are tried.
        turns: Those of conversations, errors included.
        embeddings: Those of embeddings, errors included.
        names: The models that they are for, where they name them in full.
        hosts: Patterns of the hosts of providers.
        dimensions: How many numbers an embedding has that no reply gives.

    Args:
        replies: The replies of all scripts.
        providers: The providers whose clients are answered.
        protocols: The protocols of agents that are spoken.
    """

    def __init__(
        self,
        replies: "Sequence[PlacedReply]" = (),
        providers: "Sequence[Provider]" = (),
        protocols: "Sequence[Provider]" = (),
    ) -> None:
        self.replies = tuple(replies)
        said = [(each, each.reply.embedding is None, each.reply.error) for each in replies]
        self.turns = tuple(each for each, is_turn, error in said if is_turn or error)
        self.embeddings = tuple(each for each, is_turn, error in said if not is_turn or error)
        self._providers = tuple(providers)
        self._protocols = {each.name: each for each in protocols}
        patterns = (name for each in replies for name in each.models)
        self.names = tuple(dict.fromkeys(name for name in patterns if not set(name) & _WILD))
        self.hosts = frozenset(host for each in providers for host in each.hosts)
        self.dimensions = replies[0].dimensions if replies else 0
        self._of_host = lru_cache(256)(self._find_host)

    def __len__(self) -> int:
        return len(self.replies)

    def serves(self, host: str) -> bool:
        """Whether a host is one of a provider."""
        return self._of_host(host) is not None

    def find(self, host: str, verb: str, path: str) -> ModelRoute | None:
        """What a request asks of a provider: by its host, by its path, or by the form of its path.

        Args:
            host: The `Host` header.
            verb: Upper case.
            path: As sent, without session prefix and query; it may begin with `/models/<name>`,
                `/agents/<protocol>`, or with a host.

        Returns:
            The operation; None where no provider has such a one.
        """
        if not self.replies:
            return None
        first, _, rest = path[1:].partition("/")
        for name, below in ((host, path), (first, f"/{rest}")):
            provider = self._of_host(name)
            if provider is not None:
                operation = provider.find(verb, below)
                return ModelRoute(operation, name.partition(":")[0]) if operation else None
        if first == AGENTS:
            name, _, below = rest.partition("/")
            protocol = self._protocols.get(name)
            asked = protocol.find(verb, f"/{below}") if protocol is not None else None
            if asked is not None:
                return ModelRoute(asked)
        providers = self._providers
        if first == MODELS:
            name, _, rest = rest.partition("/")
            named = tuple(each for each in providers if each.name == name)
            providers = (*named, *providers) if named else ()  # Ollama speaks OpenAI's form, too
            path = f"/{rest}"
        operations = (each.find(verb, path) for each in providers)
        operation = next((each for each in operations if each is not None), None)
        return ModelRoute(operation) if operation else None

    def agent(self, name: str) -> "tuple[str, AgentDescription | None] | None":
        """An agent that a script answers for, with what the script says of it where it does.

        Args:
            name: Its name; empty for the first of which a script says something.

        Returns:
            Its name and what is said of it; None where no script is for it.
        """
        told = ((each.models, each.agent) for each in self.replies)
        found = [(patterns, said) for patterns, said in told
                 if not name or any(fnmatchcase(name, each) for each in patterns)]  # fmt: skip
        if not found:
            return None
        patterns, said = next((each for each in found if each[1] is not None), found[0])
        plain = (each for each in patterns if not set(each) & _WILD)
        return name or next(plain, ""), said

    def environment(self, session_url: str, token: str) -> dict[str, str]:
        """The variables that lead the clients of providers to a session, with its key.

        Args:
            session_url: Where the session is, `http://127.0.0.1:8765/s/<id>`.
            token: The session's own credential.
        """
        return provider_environment(self._providers, session_url, token)

    def _find_host(self, host: str) -> "Provider | None":
        return provider_of_host(self._providers, host)


def provider_of_host(providers: "Iterable[Provider]", host: str) -> "Provider | None":
    """The provider that answers at a host, with a port or without; None where none does."""
    name = host.partition(":")[0].lower()
    known = (each for each in providers
             if any(fnmatchcase(name, pattern) for pattern in each.hosts))  # fmt: skip
    return next(known, None)


def provider_environment(
    providers: "Iterable[Provider]", session_url: str, token: str
) -> dict[str, str]:
    """The variables that lead the clients of some providers to a session, with its key.

    Args:
        providers: The providers.
        session_url: Where the session is, `http://127.0.0.1:8765/s/<id>`.
        token: The session's own credential.
    """
    made: dict[str, str] = {}
    for provider in providers:
        base = f"{session_url}/{MODELS}/{provider.name}"
        made |= {name: f"{base}{path}" for name, path in provider.variables.items()}
        made |= dict.fromkeys(provider.keys, token)
    return made


NO_MODELS = Models()


def suite_models(suite: Path | None) -> Models:
    """The scripted models of a suite.

    Raises:
        InvalidFilesError: Everything that is wrong in the scripts.
    """
    files = suite_files(suite, MODELS) if suite is not None else ()
    if not files:
        return NO_MODELS
    # servers without scripts start sooner
    from mockserver.models.agents import AGENT_PROTOCOLS
    from mockserver.models.providers import PROVIDERS
    from mockserver.models.script import read_scripts

    return Models(read_scripts(files), PROVIDERS, AGENT_PROTOCOLS)
