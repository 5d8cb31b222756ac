"""A cassette with everything that finds its recordings; immutable, shared by sessions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from mockserver.cassettes.matching import (
    MODEL_HOST,
    VOLATILE,
    Canonical,
    Effect,
    NearestRecording,
    TimeStamp,
    Volatile,
    counted_host,
    effect_of,
    is_model_call,
    is_plain,
    loose_canonical,
    nearest,
    nearest_call,
)
from mockserver.cassettes.replay.keys import (
    KeyedRequest,
    RequestKeys,
    RequestRedactor,
    Scrubs,
    raw_key,
)
from mockserver.cassettes.replay.names import has_names
from mockserver.cassettes.replay.order import Writes
from mockserver.messages import split_url
from mockserver.messages.mcp_calls import MCP_SCHEME
from mockserver.model import Cassette, Interaction, Match, RecordedRequest, program_of

Places = dict[bytes, list[int]]

_SAME_PATH = 40
_PATHS_LOOKED_AT = 2000
_NEAR_PATHS = 5
_OF_EACH = 4
_REFUSED = range(400, 500)


@dataclass(frozen=True, slots=True)
class Conflict:
    """One request that two cassettes answer differently; the earlier cassette answers first.

    Attributes:
        method: The HTTP method.
        url: The whole URL in the earlier cassette.
        first: The name of the earlier cassette, and the number there.
        second: The name of the later cassette, and the number there.
    """

    method: str
    url: str
    first: tuple[str, int]
    second: tuple[str, int]


class IndexedCassette:
    """A cassette with its indexes.

    Attributes:
        name: The name of the cassette.
        interactions: In order.
        recorded: The requests as the file has them.
        requests: The requests, redacted with the server's own key unless the cassette's were
            redacted already, without values in clear.
        hosts: The hosts that it has recordings of, lower case, with a port that is not the
            scheme's own; without the names of MCP servers.
        mcp_servers: The names of the MCP servers that it has recordings of.
        models: The providers of models that it has recordings of.
        upstream: `https://host[/prefix]` that a reverse proxy stood before; empty otherwise.
        variables: Environment variables that held base URLs when it was recorded, with those URLs.
        key_id: Which redaction key made its pseudonyms; empty where nothing was redacted.
        match: How its requests are compared; None for all that counts.
        writes: Which reads stand on which side of which writes.
        exact: The places of recordings by the key of all that counts.
        timeless: The same without declared times, for those that have any.
        by_kind: The same without pseudonyms, where another key made the cassette's.
        ambiguous: Keys by kind that fit several different requests.
        keyer: Makes the keys that requests are looked up by.
    """

    __slots__ = (
        "_loose", "_paths", "_places_with_names", "_raw", "_unvaried", "ambiguous", "by_kind",
        "exact", "hosts", "interactions", "key_id", "keyer", "match", "mcp_servers", "models",
        "name", "recorded", "requests", "timeless", "upstream", "variables", "writes",
    )  # fmt: skip

    def __init__(self, cassette: Cassette, keyer: RequestKeys) -> None:
        self.name = cassette.name
        self.interactions: Sequence[Interaction] = cassette.interactions
        self.upstream = cassette.info.upstream
        self.variables = _variables(cassette)
        self.key_id = cassette.info.key_id
        self.match = None if is_plain(cassette.info.match) else cassette.info.match
        self.keyer = keyer
        self.recorded = tuple(each.request for each in cassette.interactions)
        self.requests = _requests(self.recorded, cassette, keyer)
        self.exact: Places = {}
        self.timeless: Places = {}
        self.by_kind: Places = {}
        self.ambiguous: set[bytes] = set()
        self._paths: dict[str, dict[tuple[str, ...], list[int]]] = {}
        self._loose: dict[Match, Places] = {}
        self._raw: Places | None = None
        self._places_with_names: tuple[int, ...] | None = None
        self._unvaried: Places | None = None
        self.writes = Writes([self._add_to_index(index) for index in range(len(self.requests))])
        self.mcp_servers = frozenset(
            split_url(each.url).host.lower()
            for each in self.requests
            if each.url.startswith(MCP_SCHEME)
        )
        self.hosts = frozenset(map(counted_host, self.requests)) - self.mcp_servers
        self.models = frozenset(
            host.removeprefix(MODEL_HOST) for host in self._paths if host.startswith(MODEL_HOST)
        )

    @classmethod
    def of(
        cls,
        cassette: Cassette,
        *,
        redactor: RequestRedactor | None = None,
        volatile: Volatile = VOLATILE,
    ) -> "IndexedCassette":
        """The tape of a cassette.

        Args:
            cassette: As read.
            redactor: Redacts requests as they will be redacted before they are looked up; it is
                asked for those of a cassette that its key did not redact.
            volatile: What does not count.
        """
        return cls(cassette, RequestKeys(redactor, volatile=volatile, scrubs=_scrubs(redactor)))

    def hosts_of(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The hosts and MCP servers that a path was recorded of.

        Args:
            path: Its segments, decoded.
        """
        return tuple(host for host, paths in self._paths.items() if path in paths)

    def model_operations(self) -> tuple[str, ...]:
        """The calls of models that it has recordings of, `openai.chat.completions.create`."""
        found = {path[0] for host, paths in self._paths.items()
                 if host.startswith(MODEL_HOST) for path in paths}  # fmt: skip
        return tuple(sorted(found))

    def stamps(self, place: int) -> tuple[TimeStamp, ...]:
        """The dates and times in the texts of a recorded call of a model."""
        return self.keyer.of_redacted(self.requests[place]).stamps

    def seconds_since(self, place: int, now: Sequence[datetime]) -> list[float]:
        """How long ago an interaction was recorded by each clock; none where it does not say when.

        Args:
            place: Its place.
            now: The time by each clock; without any no time has passed.
        """
        if not now:
            return [0.0]
        recorded_at = self.interactions[place].recorded_at
        try:
            moment = datetime.fromisoformat(recorded_at)
        except ValueError:
            return []
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return [(each - moment).total_seconds() for each in now]

    @property
    def raw(self) -> Places:
        """The places of recordings by the key of the request as it came; made once.

        Empty for a cassette that holds no raw requests. What a redactor replaces depends on what it
        has learned of other requests by then; requests as they came are the same ones all the same.
        """
        if self._raw is None:
            self._raw = {}
            if self.requests is not self.recorded:
                for index, request in enumerate(self.recorded):
                    self._raw.setdefault(raw_key(request, self.keyer.volatile), []).append(index)
        return self._raw

    def loose(self, match: Match) -> Places:
        """The places of recordings by the key of what a match compares; made once for each."""
        found = self._loose.get(match)
        if found is None:
            found = self._loose[match] = {}
            for index, request in enumerate(self.requests):
                found.setdefault(self.keyer.fresh(request).loose(match), []).append(index)
        return found

    @property
    def unvaried(self) -> Places:
        """The places of calls of models by the key without what is new in each run; made once."""
        if self._unvaried is None:
            found: Places = {}
            for place in self._model_places():
                keyed = self.keyer.of_redacted(self.requests[place])
                found.setdefault(keyed.unvaried, []).append(place)
            self._unvaried = found
        return self._unvaried

    @property
    def places_with_names(self) -> tuple[int, ...]:
        """The places of calls of models with pseudonyms of names in them; found once."""
        if self._places_with_names is None:
            places = self._model_places()
            requests = ((place, self.keyer.of_redacted(self.requests[place])) for place in places)
            self._places_with_names = tuple(
                place for place, each in requests if has_names(each.timeless_canonical.body[1])
            )
        return self._places_with_names

    def _model_places(self) -> list[int]:
        """The places of calls of models, in order."""
        return sorted(place for host, paths in self._paths.items() if host.startswith(MODEL_HOST)
                      for each in paths.values() for place in each)  # fmt: skip

    def near(
        self, request: Canonical, match: Match | None = None
    ) -> tuple[int, NearestRecording] | None:
        """The recording that differs least from a request: its place, and in what.

        Few recordings are compared, of paths that resemble the one asked.

        Args:
            request: All that counts of the request.
            match: What is compared; all that counts when None.
        """
        places = list(self._candidates(request))
        keyed = (self.keyer.fresh(self.requests[place]) for place in places)
        if is_model_call(request):
            found = nearest_call(request, (each.unvaried_canonical for each in keyed))
            return (places[found.index], found) if found else None
        candidates = (each.canonical for each in keyed)
        if match is None:
            found = nearest(request, candidates)
        else:
            found = nearest(
                loose_canonical(request, match), (loose_canonical(one, match) for one in candidates)
            )
        return (places[found.index], found) if found else None

    def _add_to_index(self, index: int) -> Effect | None:
        keyed = self.keyer.fresh(self.requests[index])
        asked = keyed.canonical
        self.exact.setdefault(keyed.exact, []).append(index)
        if keyed.timeless != keyed.exact:
            self.timeless.setdefault(keyed.timeless, []).append(index)
        if self.key_id and self.key_id != self.keyer.key_id:
            self._index_by_kind(keyed, index)
        self._paths.setdefault(asked.host, {}).setdefault(asked.path, []).append(index)
        effect = effect_of(asked)
        refused = self.interactions[index].response.status in _REFUSED
        return None if refused and not effect.reads else effect

    def _index_by_kind(self, keyed: KeyedRequest, index: int) -> None:
        places = self.by_kind.setdefault(keyed.by_kind, [])
        if places and self.keyer.fresh(self.requests[places[0]]).timeless != keyed.timeless:
            self.ambiguous.add(keyed.by_kind)
        places.append(index)

    def _candidates(self, request: Canonical) -> Iterator[int]:
        of_host = self._paths.get(request.host)
        if of_host is None and is_model_call(request):
            return  # what other APIs are asked holds no conversation
        if of_host is None:
            others = (paths for host, paths in self._paths.items()
                      if not host.startswith(MODEL_HOST))  # fmt: skip
            of_host = next(others, {})
        same = of_host.get(request.path)
        if same:
            yield from same[:_SAME_PATH]
            return
        looked_at = list(islice(of_host, _PATHS_LOOKED_AT))
        looked_at.sort(key=lambda path: _distance(request.path, path))
        for path in looked_at[:_NEAR_PATHS]:
            yield from of_host[path][:_OF_EACH]


def _scrubs(redactor: RequestRedactor | None) -> Scrubs:
    if redactor is None:
        return Scrubs()
    from mockserver.redaction import generalise_pseudonyms

    return Scrubs(
        partial(generalise_pseudonyms, credentials_only=True),
        partial(generalise_pseudonyms, credentials_only=False),
        partial(redactor.pseudonym, "person_name"),
    )


def _variables(cassette: Cassette) -> dict[str, str]:
    try:
        program = program_of(cassette.info.extra)
    except ValueError:
        return {}  # told where the program itself is asked for
    return program.variables if program else {}


def conflicts(tapes: Iterable[IndexedCassette]) -> tuple[Conflict, ...]:
    """Requests that two cassettes answer differently; the earlier cassette answers first."""
    return tuple(_conflicts(tapes))


def _conflicts(tapes: Iterable[IndexedCassette]) -> Iterator[Conflict]:
    earlier: list[IndexedCassette] = []
    for tape in tapes:
        for key, places in tape.exact.items():
            for other in earlier:
                theirs = other.exact.get(key)
                if theirs and _answers(other, theirs) != _answers(tape, places):
                    request = other.requests[theirs[0]]
                    yield Conflict(
                        request.method,
                        request.url,
                        (other.name, theirs[0] + 1),
                        (tape.name, places[0] + 1),
                    )
        earlier.append(tape)


def _answers(tape: IndexedCassette, places: Iterable[int]) -> list[tuple[int, bytes, str]]:
    responses = (tape.interactions[place].response for place in places)
    return [
        (response.status, response.body, response.file.digest if response.file else "")
        for response in responses
    ]


def _requests(
    requests: Sequence[RecordedRequest], cassette: Cassette, keyer: RequestKeys
) -> Sequence[RecordedRequest]:
    clear = cassette.info.states_values
    if keyer.redactor is None or (cassette.info.key_id == keyer.key_id and not clear):
        return requests
    made = tuple(map(keyer.redactor.redact_request, requests))
    # a name that only the answer of a tool tells of as one stands in the prompt before it
    return tuple(map(keyer.redactor.redact_request, made)) if clear else made


def _distance(segments: tuple[str, ...], path: tuple[str, ...]) -> int:
    apart = sum(ours != theirs for ours, theirs in zip(segments, path, strict=False))
    return apart + abs(len(path) - len(segments))
