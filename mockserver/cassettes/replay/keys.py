"""The keys under which a request is looked up, made once for each and remembered."""

from collections import OrderedDict
from collections.abc import Callable
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple, Protocol

from mockserver.cassettes.matching import (
    COUNTED_HEADERS,
    VOLATILE,
    Canonical,
    Scrub,
    TimeStamp,
    Volatile,
    canonical,
    counts_times,
    is_model_call,
    is_model_path,
    keep_text,
    loose_canonical,
    mask_varying,
    stamps_in,
    text_key,
)
from mockserver.model import Match, RecordedRequest

REMEMBERED = 2048
"""Requests whose keys are remembered; the oldest is forgotten first."""

_LARGEST = 16 * 1024
_HEADERS = COUNTED_HEADERS | {"content-type", "content-encoding", "x-http-method-override"}


class RequestRedactor(Protocol):
    """What redacts requests as the cassettes were redacted."""

    @property
    def key_id(self) -> str:
        """Which key makes its pseudonyms."""
        ...

    def redact_request(self, request: RecordedRequest, /) -> RecordedRequest:
        """The request with pseudonyms for secrets."""
        ...

    def pseudonym(self, kind: str, value: str) -> str:
        """What would stand for a value of a kind."""
        ...


class Scrubs(NamedTuple):
    """What is left out of the text of all that counts.

    Attributes:
        credentials: Leaves out who asks.
        pseudonyms: Leaves out every pseudonym, since other keys make others.
        name: Makes the pseudonym of a word of a person's name, leaves out nothing.
    """

    credentials: Scrub = keep_text
    pseudonyms: Scrub = keep_text
    name: Scrub = keep_text


_NOTHING = Scrubs()


class KeyedRequest:
    """A redacted request with its keys, each made when it is asked for.

    Args:
        request: The request.
        volatile: What does not count.
        scrubs: What is left out.
        raw: The request as it came, where that is known; only a digest of it is kept.

    Attributes:
        request: The redacted request.
        raw: The key of all that counts of the request as it came; None where that is not known.
    """

    def __init__(
        self,
        request: RecordedRequest,
        volatile: Volatile,
        scrubs: Scrubs,
        raw: RecordedRequest | None = None,
    ) -> None:
        self.request = request
        self.raw = None if raw is None else raw_key(raw, volatile)
        self._volatile = volatile
        self._scrubs = scrubs
        self._loose: dict[Match, bytes] = {}

    @cached_property
    def exact(self) -> bytes:
        """The key of all that counts."""
        return text_key(self._scrubs.credentials(self.canonical.text()))

    @cached_property
    def timeless(self) -> bytes:
        """The key without declared times; the exact one where there are none."""
        if not counts_times(self.request, volatile=self._volatile):
            return self.exact
        return text_key(self._scrubs.credentials(self.timeless_canonical.text()))

    @cached_property
    def by_kind(self) -> bytes:
        """The key without declared times and without any pseudonym."""
        return text_key(self._scrubs.pseudonyms(self.timeless_canonical.text()))

    @cached_property
    def unvaried(self) -> bytes:
        """The key without declared times and what is new in each run."""
        return text_key(self._scrubs.credentials(self.unvaried_canonical.text()))

    def loose(self, match: Match) -> bytes:
        """The key of what a match compares, without declared times."""
        key = self._loose.get(match)
        if key is None:
            compared = loose_canonical(self.timeless_canonical, match).text()
            key = self._loose[match] = text_key(self._scrubs.credentials(compared))
        return key

    @cached_property
    def canonical(self) -> Canonical:
        """All that counts of the request."""
        return canonical(self.request, volatile=self._volatile)

    @cached_property
    def is_model_call(self) -> bool:
        """Whether it asks a model, of which the address does not count."""
        return is_model_call(self.canonical)

    @cached_property
    def stamps(self) -> tuple[TimeStamp, ...]:
        """The dates and times in the texts of a call of a model."""
        return stamps_in(self.canonical.body[1]) if self.is_model_call else ()

    @cached_property
    def timeless_canonical(self) -> Canonical:
        """All that counts of the request but for its times."""
        return canonical(self.request, volatile=self._volatile, times=False)

    @cached_property
    def unvaried_canonical(self) -> Canonical:
        """The same without what is new in each run of a program, where it asks a model."""
        asked = self.timeless_canonical
        if not self.is_model_call:
            return asked
        kind, content = asked.body
        return asked._replace(body=(kind, mask_varying(content)))


class RequestKeys:
    """Makes keys of requests, and remembers them.

    Args:
        redactor: Redacts as the cassettes were redacted; None where nothing is redacted.
        volatile: What does not count.
        scrubs: What is left out.
    """

    def __init__(
        self,
        redactor: RequestRedactor | None = None,
        *,
        volatile: Volatile = VOLATILE,
        scrubs: Scrubs = _NOTHING,
    ) -> None:
        self.redactor = redactor
        self.volatile = volatile
        self.scrubs = scrubs
        self._known: OrderedDict[bytes, KeyedRequest] = OrderedDict()

    @property
    def key_id(self) -> str:
        """Which key makes the pseudonyms of requests; empty where nothing is redacted."""
        return self.redactor.key_id if self.redactor else ""

    def of(self, request: RecordedRequest) -> KeyedRequest:
        """The keys of a request as it came: it is redacted unless it came before."""
        redact = self.redactor.redact_request if self.redactor else _as_it_is
        return self._remember(request, redact)

    def fresh(self, request: RecordedRequest, raw: RecordedRequest | None = None) -> KeyedRequest:
        """The keys of a request that was redacted already, not remembered.

        Args:
            request: The request.
            raw: The same as it came, where that is known.
        """
        return KeyedRequest(request, self.volatile, self.scrubs, raw)

    def of_redacted(self, request: RecordedRequest) -> KeyedRequest:
        """The keys of a request that was redacted already."""
        return self._remember(request, _as_it_is)

    def _remember(
        self, request: RecordedRequest, redact: Callable[[RecordedRequest], RecordedRequest]
    ) -> KeyedRequest:
        if len(request.body) > _LARGEST:
            return self.fresh(redact(request), request)
        seal = _request_digest(request)
        known = self._known.get(seal)
        if known is None:
            if len(self._known) >= REMEMBERED:
                self._known.popitem(last=False)
            known = self._known[seal] = self.fresh(redact(request), request)
        return known


def raw_key(request: RecordedRequest, volatile: Volatile) -> bytes:
    """The key of all that counts of a request as it came, without its declared times.

    The times in texts for a model count: whether the clock explains them cannot be told by a key.
    """
    times = is_model_path(request)
    return text_key(canonical(request, volatile=volatile, times=times).text())


def _as_it_is(request: RecordedRequest) -> RecordedRequest:
    return request


def _request_digest(request: RecordedRequest) -> bytes:
    # a digest: what is remembered of a raw request tells none of its secrets
    told = [request.method, request.url, request.coding]
    told += [f"{name}:{value}" for name, value in request.headers if name.lower() in _HEADERS]
    front = "\n".join(told).encode("utf-8", "surrogatepass")
    return blake2b(b"%d:%b%b" % (len(front), front, request.body), digest_size=16).digest()
