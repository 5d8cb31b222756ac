"""The recordings of one session: which places they know, what is played, what is left."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from mockserver.cassettes.replay import (
    IndexedCassette,
    KeyedRequest,
    NoMatch,
    PlayedMatch,
    Player,
    RecordedMcpServers,
    conflicts,
)
from mockserver.messages.mcp_calls import AGENT_TOOLS, GREETINGS, MCP_SCHEME
from mockserver.model import Interaction, JsonObject, SessionSpec
from mockserver.models.catalog import provider_environment

if TYPE_CHECKING:
    from mockserver.redaction import Redactor


class KnownAddresses(NamedTuple):
    """What the recordings of a session know of addresses.

    Attributes:
        hosts: Hosts with recordings, in lower case, with their port where one was named.
        upstreams: Addresses that a reverse proxy stood before, without a slash at the end.
        only: The host with recordings where there is just one, or an empty string.
        models: The providers of models with recordings.
    """

    hosts: frozenset[str]
    upstreams: tuple[str, ...]
    only: str
    models: frozenset[str] = frozenset()


class Replay:
    """The recordings of one session.

    Args:
        tapes: Its cassettes by their files.
        spec: What the session was opened with.
        redactor: What takes the secrets out of its requests.

    Attributes:
        files: The files of its cassettes by their names.
        calls: What was made of requests before, for whoever makes it.
        known: What they know of addresses.
        alone: Whether nothing else answers in this session.
        first: Whether they come before the state.
        redactor: What takes the secrets out of its requests.
        keyer: Makes what requests are looked up by.
        pace: How long the gaps between the pieces of a stream last.
        recordings: How many there are.
        has_bodies: Whether any answer has its body in a file: that is looked into before.
    """

    __slots__ = (
        "_mcp", "_player", "_spec", "_tapes",
        "alone", "calls", "files", "first", "has_bodies", "keyer", "known", "pace", "recordings",
        "redactor",
    )  # fmt: skip

    def __init__(
        self, tapes: Mapping[Path, IndexedCassette], spec: SessionSpec, redactor: "Redactor"
    ) -> None:
        self._tapes = tuple(tapes.values())
        self.files = {tape.name: file for file, tape in tapes.items()}
        self._spec = spec
        self.redactor = redactor
        self.calls: OrderedDict[Any, Any] = OrderedDict()
        self.keyer = self._tapes[0].keyer
        self.pace = spec.pace
        self.recordings = sum(len(tape.interactions) for tape in self._tapes)
        answers = (each.response for tape in self._tapes for each in tape.interactions)
        self.has_bodies = any(answer.file is not None for answer in answers)
        self.known = _known_addresses(self._tapes)
        self._mcp: RecordedMcpServers | None = None
        self.alone = set(spec.sources) <= {"cassette", "stub"}
        order = [name for name in spec.sources if name in {"cassette", "state"}]
        self.first = order[0] == "cassette"
        self.reset()

    @property
    def mcp(self) -> RecordedMcpServers | None:
        """The MCP servers that they are of; None where they are of none."""
        if self._mcp is None and any(tape.mcp_servers for tape in self._tapes):
            self._mcp = RecordedMcpServers(self.interactions)
        return self._mcp

    @property
    def interactions(self) -> Iterator[Interaction]:
        """All of them, in the order of the cassettes."""
        return (each for tape in self._tapes for each in tape.interactions)

    @property
    def has_agent_tools(self) -> bool:
        """Whether they are of tools that run inside the agent, among others."""
        return any(AGENT_TOOLS in tape.mcp_servers for tape in self._tapes)

    def reset(self) -> None:
        """Start all recordings anew."""
        spec = self._spec
        self._player = Player(
            self._tapes,
            repeats=spec.repeats,
            barriers=spec.barriers,
            match=spec.match,
            exact=spec.exact,
        )

    def play(self, keyed: KeyedRequest, now: Sequence[datetime] = ()) -> PlayedMatch | NoMatch:
        """The recording for a request whose secrets were taken out, which is then played.

        Args:
            keyed: The request.
            now: The time by the clocks that texts for a model may be dated by.
        """
        return self._player.play(keyed, now)

    def play_nearest(self, missed: NoMatch, warning: str) -> PlayedMatch | None:
        """The nearest recording of a request that none matches, which is then played."""
        return self._player.play_nearest(missed, warning)

    def skipped_write(self, match: PlayedMatch) -> str:
        """A write that was recorded before a recording and was not made; empty for none."""
        return self._player.skipped_write(match)

    def environment(self, session_url: str, token: str) -> dict[str, str]:
        """The variables that lead to the session: those of recorded models, with its key.

        With them those that held base URLs when a program was recorded.

        Args:
            session_url: Where it is, `http://127.0.0.1:8765/s/<id>`.
            token: Its own credential.
        """
        block: dict[str, str] = {}
        if self.known.models:
            from mockserver.models.providers import PROVIDERS

            recorded = [each for each in PROVIDERS if each.name in self.known.models]
            block = provider_environment(recorded, session_url, token)
        for tape in self._tapes:
            block |= {name: f"{session_url}/{url.partition('://')[2]}"
                      for name, url in tape.variables.items()}  # fmt: skip
        return block

    def hosts_of(self, path: str) -> tuple[str, ...]:
        """The hosts and MCP servers that a path without a query was recorded of."""
        segments = tuple(unquote(step) for step in path[1:].split("/"))
        hosts = (host for tape in self._tapes for host in tape.hosts_of(segments))
        return tuple(dict.fromkeys(hosts))

    def unused(self) -> list[JsonObject]:
        """The recordings that nobody asked for, in the shape of `mockserver.model`."""
        return [asdict(each) for each in self._player.unused() if not _is_known_unasked(each.url)]

    def conflicts(self) -> list[JsonObject]:
        """The requests that two of the cassettes answer differently; the earlier one answers."""
        return [asdict(each) for each in conflicts(self._tapes)]


def _is_known_unasked(url: str) -> bool:
    """Whether a recording is used without being asked for.

    How an MCP server greets is told to whoever connects; nobody lists the tools inside an agent.
    """
    server, _, path = url.removeprefix(MCP_SCHEME).partition("/")
    is_list = server == AGENT_TOOLS and path == "tools/list"
    return url.startswith(MCP_SCHEME) and (path in GREETINGS or is_list)


def _known_addresses(tapes: Sequence[IndexedCassette]) -> KnownAddresses:
    hosts = frozenset(host for tape in tapes for host in tape.hosts)
    upstreams = dict.fromkeys(tape.upstream.rstrip("/") for tape in tapes if tape.upstream)
    only = next(iter(hosts)) if len(hosts) == 1 else ""
    models = frozenset(model for tape in tapes for model in tape.models)
    return KnownAddresses(hosts, tuple(upstreams), only, models)
