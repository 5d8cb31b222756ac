"""Asks a live API again what a recording asked it: reads, and writes to a sandbox alone.

What comes of it is a recording as any other, redacted before anyone sees it. Requests go to the
hosts that the user names, with the user's credentials in the place of recorded ones; redirects are
not followed.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from mockserver.capture.upstream import NoAnswerError, Upstream, UrlRewriter, parse_upstream
from mockserver.cassettes.foreign import http_log
from mockserver.errors import MockServerError
from mockserver.googleapi import Method
from mockserver.messages import decode_body, header, without
from mockserver.messages.mcp_calls import is_mcp
from mockserver.model import Header, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import InteractionSanitizer, Redactor, StatedValues
from mockserver.routing import Route, Routes
from mockserver.verify.comparison import Answer, compare
from mockserver.verify.placeholders import (
    Placeholders,
    learn_created,
    resource_place,
    translated_request,
)
from mockserver.verify.recordings import Recording
from mockserver.verify.values import Translation

_IDLE_S = 60.0
_LARGEST = 64 * 1024 * 1024
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
_OVERRIDE = "x-http-method-override"
_OF_CLIENTS = frozenset({
    "accept-encoding", "baggage", "connection", "content-length", "expect", "forwarded", "host",
    "proxy-authorization", "te", "trailer", "traceparent", "transfer-encoding", "upgrade", "via",
    "x-forwarded-for", "x-mock-session",
})  # fmt: skip
_LATER = frozenset({429, 503})
_PROBE = "zulukiwi"
"""A word that is replaced only where the name of a field says that it holds a secret."""
_PLACE = re.compile("page|next|sync|continu|cursor", re.IGNORECASE)
"""Names of parameters whose tokens say where a list goes on."""
_KINDS = ("project", "customer", "host")


@dataclass(frozen=True)
class Sandbox:
    """The only place that writes go to.

    Attributes:
        kind: What it is: `project`, `customer` or `host`.
        name: Its name.
    """

    kind: str
    name: str

    def holds(self, request: RecordedRequest) -> bool:
        """Whether a request names the sandbox in its target, and nothing else in its body."""
        if self.kind == "host":
            return urlsplit(request.url).netloc == self.name
        return self.names(request) == {self.name}

    def names(self, request: RecordedRequest) -> set[str]:
        """The projects, or customers, that a request names; none where its target names none."""
        url = urlsplit(request.url)
        target = unquote(f"{url.path}?{url.query}")
        text = request.body.decode(errors="replace")
        in_target = set(self._pattern.findall(target))
        return in_target | set(self._pattern.findall(text)) if in_target else set()

    @property
    def _pattern(self) -> re.Pattern[str]:
        word = self.kind
        return re.compile(
            rf"""\b{word}(?:s?/|(?:Id)?=|(?:Id)?"\s*:\s*"(?:{word}s/)?)([^/:?&"#\s]+)""",
            re.IGNORECASE,
        )


def parse_sandbox(text: str) -> Sandbox:
    """The sandbox that a user names.

    Raises:
        MockServerError: It is written wrongly.

    >>> parse_sandbox("project=my-sandbox")
    Sandbox(kind='project', name='my-sandbox')
    """
    kind, equals, name = text.partition("=")
    if not equals or not name or kind not in _KINDS:
        raise MockServerError(
            f"--writes {text!r} names no sandbox",
            hint="project=ID, customer=ID or host=NAME: writes go there and nowhere else",
        )
    return Sandbox(kind, name)


def parse_hosts(texts: Iterable[str]) -> Mapping[str, str]:
    """Hosts that may be asked, by a glob, to where they are reached; empty for where they are.

    Raises:
        MockServerError: One is written wrongly.
    """
    found = {}
    for text in texts:
        host, equals, place = text.partition("=")
        if "/" in host or not host.strip("*."):
            raise MockServerError(
                f"--live {text!r} names no host",
                hint="such as api.example.com, *.googleapis.com, or api.example.com=URL for a"
                " server of another address",
            )
        found[host.lower()] = parse_upstream(place) if equals else ""
    return found


Authorize = Callable[[str, str], Mapping[str, str]]
"""Headers with credentials for a verb and a URL of Google."""


@dataclass(frozen=True)
class Target:
    """What may be asked.

    Attributes:
        hosts: Globs of hosts, to where each is reached; empty for where it is.
        headers: Sent with every request: the user's credentials.
        sandbox: Where writes go; None for nowhere.
        authorize: The user's credentials for Google's APIs; asked once, for all methods.
        pause_s: Seconds between requests.
    """

    hosts: Mapping[str, str]
    headers: Mapping[str, str] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    authorize: Callable[[Sequence[Method]], Authorize] | None = None
    pause_s: float = 0.0


class LiveApi:
    """Asks a live API what recordings asked it.

    Args:
        target: What may be asked.
        routes: What requests mean.
        redactor: Makes what replaces secrets in all that is heard; what recordings state in clear
            stays, unless it opens something.
        clock: Real time.
    """

    def __init__(
        self,
        target: Target,
        routes: Routes,
        redactor: Callable[[StatedValues], Redactor],
        clock: Callable[[], datetime],
    ) -> None:
        self._target = target
        self._routes = routes
        self._make_redactor = redactor
        self._redactor = redactor(StatedValues())
        self._sanitizer = InteractionSanitizer(self._redactor)
        self._clock = clock
        self._authorize: Authorize | None = None
        self.asked = 0

    def ask(
        self, recordings: Sequence[Recording], *, before: Callable[[str], None] = lambda _: None
    ) -> list[Recording]:
        """Ask again, in order, what recordings asked.

        Returns:
            A recording for each, of what was answered now; its notes say what was not asked.

        Raises:
            MockServerError: There are no credentials, or nothing may be asked.
        """
        self._redactor = self._make_redactor(StatedValues(_texts(recordings, self._target.sandbox)))
        self._sanitizer = InteractionSanitizer(self._redactor)
        self._find_credentials(recordings)
        found = asyncio.run(self._ask(recordings, before))
        if not self.asked:
            notes = dict.fromkeys(note.partition(": ")[2] for each in found for note in each.notes)
            raise MockServerError(
                f"nothing was asked: {'; '.join(notes) or 'no recording can be read'}",
                hint="--live names the hosts, --writes a sandbox for what changes something",
            )
        return found

    def _find_credentials(self, recordings: Sequence[Recording]) -> None:
        """Refuse what recordings asked with credentials, where the user gives none."""
        google: dict[str, Method] = {}
        for recording in recordings:
            for each in recording.interactions:
                if self._refusal(each) or self._has_own(each.request):
                    continue
                url = urlsplit(each.request.url)
                method = self._route(each.request).method
                if method is not None and self._target.authorize is not None:
                    google[method.id] = method
                elif self._secrets(each.request) and each.response.status != 401:
                    raise MockServerError(
                        f"no credentials for {url.netloc}: {recording.name} was recorded with some",
                        hint="give yours: --header 'Authorization: Bearer ...', or under the name"
                        " of the query parameter that has them",
                    )
        if google and self._target.authorize is not None:
            self._authorize = self._target.authorize(tuple(google.values()))

    def _has_own(self, request: RecordedRequest) -> bool:
        names = {name.lower() for name in self._target.headers}
        return bool(names & {"authorization", *map(str.lower, self._secrets(request))})

    def _route(self, request: RecordedRequest) -> Route:
        url = urlsplit(request.url)
        host, path = (each.encode("latin-1", "replace") for each in (url.netloc, url.path))
        return self._routes.find(host, request.method, path)

    def _secrets(self, request: RecordedRequest) -> set[str]:
        """The headers and query parameters of a request that hold credentials, by their names."""
        redactor, query = self._redactor, urlsplit(request.url).query
        found = {"key"} if self._route(request).method is not None else set()
        found |= {
            name for name, _ in request.headers
            if name.lower() != "cookie" and redactor.redact_header(name, _PROBE) != _PROBE
        }  # fmt: skip
        for name, _ in parse_qsl(query, keep_blank_values=True):
            probe = f"https://example.com/?{quote(name)}={_PROBE}"
            if _PROBE not in redactor.redact_target(probe) and not _PLACE.search(name):
                found.add(name)
        return found

    def _refusal(self, each: Interaction) -> str:
        """Why a request is not sent; empty where it is."""
        request = each.request
        host = urlsplit(request.url).netloc
        if is_mcp(each):
            return "a call of MCP; `understudy drift --mcp-url` asks a live server"
        if self._place_of(host) is None:
            return f"{host} is not named by --live"
        if not self._writes(request):
            return ""
        if self._target.sandbox is None:
            return "a write; --writes names a sandbox for writes"
        return ""

    def _place_of(self, host: str) -> str | None:
        return next((place for pattern, place in self._target.hosts.items()
                     if fnmatchcase(host.lower(), pattern)), None)  # fmt: skip

    def _writes(self, request: RecordedRequest) -> bool:
        verb = header(request.headers, _OVERRIDE) or request.method
        method = self._route(request).method
        if verb.upper() in _READS or method is None or verb != request.method:
            return verb.upper() not in _READS
        from mockserver.capture.google.plans import is_read_only

        return not is_read_only(method)

    async def _ask(
        self, recordings: Sequence[Recording], before: Callable[[str], None]
    ) -> list[Recording]:
        found = []
        async with Upstream(idle_s=_IDLE_S) as upstream:
            for recording in recordings:
                before(recording.name)
                found.append(await self._ask_one(recording, upstream))
        return found

    async def _ask_one(self, recording: Recording, upstream: Upstream) -> Recording:
        form = http_log.STANDS_FOR_ID if recording.format == http_log.NAME else None
        translation = Translation("", form)
        self._move_to_sandbox(recording, translation)
        placeholders = Placeholders(translation, recording.interactions)
        heard: list[Interaction] = []
        notes = list(recording.notes)
        for number, each in enumerate(recording.interactions, 1):
            refusal = self._refusal(each)
            if refusal:
                notes.append(f"#{number}: {refusal}")
                continue
            placeholders.resolve(each)
            sent = translated_request(each.request, translation)
            sandbox = self._target.sandbox
            if self._writes(each.request) and (sandbox is None or not sandbox.holds(sent)):
                notes.append(f"#{number}: a write to another place than the sandbox; not sent")
                continue
            try:
                response = await self._answer(upstream, sent)
            except NoAnswerError as error:
                notes.append(f"#{number}: the live API gave no answer: {error.reason}")
                continue
            problem = _unfit(response, sent)
            if problem:
                notes.append(f"#{number}: {problem}")
                continue
            answers = _answer(each.response), _answer(response)
            with suppress(RecursionError, ValueError):
                learn_created(sent, *answers, translation)
                compare(*answers, translation, resource_place(each.request.url))
            at = self._clock().isoformat(timespec="milliseconds")
            heard.append(self._sanitizer.sanitize(Interaction(sent, response, recorded_at=at)))
        return replace(recording, interactions=tuple(heard), notes=tuple(notes))

    def _move_to_sandbox(self, recording: Recording, translation: Translation) -> None:
        """Let the sandbox stand for the one project, or customer, that a recording writes to."""
        sandbox = self._target.sandbox
        if sandbox is None or sandbox.kind == "host":
            return
        writes = [each.request for each in recording.interactions if self._writes(each.request)]
        names = {name for each in writes for name in sandbox.names(each)}
        if len(names) == 1:
            translation.stand_in(names.pop(), sandbox.name)

    async def _answer(self, upstream: Upstream, sent: RecordedRequest) -> RecordedResponse:
        url = urlsplit(sent.url)
        origin = f"{url.scheme}://{url.netloc}"
        place = self._place_of(url.netloc) or origin
        if self.asked and self._target.pause_s:
            await asyncio.sleep(self._target.pause_s)
        self.asked += 1
        answer = await upstream.ask(self._with_credentials(sent, place))
        parts: list[bytes] = []
        size = 0
        async for piece in answer.pieces():
            parts.append(piece)
            size += len(piece)
            if size > _LARGEST:
                break
        await answer.close()
        if size > _LARGEST or answer.ended != "complete":
            why = f"larger than {_LARGEST >> 20} MiB" if size > _LARGEST else "it broke off"
            raise NoAnswerError(502, why)
        back = UrlRewriter(place, origin)
        headers, body, _ = decode_body(answer.headers, b"".join(parts))
        bare = without(headers, ["content-length"])
        return RecordedResponse(answer.status, answer.reason, back.headers(bare), back.whole(body))

    def _with_credentials(self, sent: RecordedRequest, place: str) -> RecordedRequest:
        """A request as it goes out: to its place, with the user's credentials and no others."""
        url = urlsplit(sent.url)
        secrets = self._secrets(sent)
        own = {name.lower(): (name, value) for name, value in self._target.headers.items()}
        pairs = []
        for pair in url.query.split("&") if url.query else []:
            name = unquote(pair.partition("=")[0])
            if name not in secrets:
                pairs.append(pair)
            elif name.lower() in own:
                pairs.append(f"{quote(name)}={quote(own.pop(name.lower())[1], safe='')}")
        target = url.path + (f"?{'&'.join(pairs)}" if pairs else "")
        dropped = {each.lower() for each in secrets} | _OF_CLIENTS | own.keys() | {"cookie"}
        headers: list[Header] = [pair for pair in sent.headers if pair[0].lower() not in dropped]
        headers += own.values()
        if self._authorize is not None and "authorization" not in own:
            headers += self._authorize(sent.method, sent.url).items()
        if sent.body or sent.method not in _READS:
            headers.append(("Content-Length", str(len(sent.body))))
        host = urlsplit(place).netloc
        return RecordedRequest(
            sent.method, f"{place}{target}", (("Host", host), *headers), sent.body
        )


def _texts(recordings: Iterable[Recording], sandbox: Sandbox | None) -> Iterator[str]:
    """All that recordings say in their URLs and bodies, and the sandbox.

    Yields:
        Texts.
    """
    yield sandbox.name if sandbox is not None else ""
    for recording in recordings:
        for each in recording.interactions:
            yield unquote(each.request.url)
            yield each.request.body.decode(errors="replace")
            yield each.response.body.decode(errors="replace")


def _answer(response: RecordedResponse) -> Answer:
    return Answer(response.status, response.headers, response.body)


def _unfit(response: RecordedResponse, sent: RecordedRequest) -> str:
    """Why an answer says nothing of the API; empty where it does."""
    if response.status in _LATER:
        return f"the live API asks for patience ({response.status}); not compared"
    if 300 <= response.status < 400:
        host = urlsplit(header(response.headers, "location")).netloc
        if host and host != urlsplit(sent.url).netloc:
            return f"a redirect to {host}; not followed"
    return ""
