"""Calls that no recording answers: the error, and the command that writes what is missing."""

import re
import shlex
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from mockserver.asgi.requests import Request
from mockserver.cassettes.matching import COUNTED_HEADERS
from mockserver.cassettes.replay import NoMatch
from mockserver.googleapi import ApiError
from mockserver.messages import media_type, split_url
from mockserver.model import JsonObject, Miss, RecordedRequest
from mockserver.routing import Route
from mockserver.sessions.recordings import Replay
from mockserver.sources.recorded_requests import RecordedAddress

STATUS = 424
"""What a call without a recording is answered with: no client tries again, none takes it for a
resource that is not there."""

ADDITION = "; to add one: "
"""What stands before the command that adds a missing recording."""

_HOST = re.compile(r"(?:[\w-]+\.){2,}[A-Za-z]{2,}")
"""A first segment that is taken for a host where no recording has it."""

_LOOSENING = "; `match: ignore` of the cassette leaves out what does not matter"

_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_STALE = "stale"
_LONGEST_DATA = 2048
"""Longer bodies are not written into a command."""

_KEPT = 4096


class RecordedRoutes:
    """Routes of places that no emulated API has; their method is `http.<host>`."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], Route] = OrderedDict()

    def at(self, place: RecordedAddress, request: Request, route: Route) -> Route:
        """The route of a request at a place: that of its API where the place is the API's own."""
        host = place.origin.partition("://")[2].partition("/")[0]
        if host == route.host:
            return route
        key = (request.sent_verb, host, place.url)
        found = self._kept.get(key)
        if found is None:
            path = place.url[len(place.origin) :].partition("?")[0] or "/"
            name = f"http.{host.partition(':')[0]}"
            found = Route(
                request.sent_verb, host, path, journal_path=path, method_id=name, batch=route.batch
            )
            if len(self._kept) >= _KEPT:
                self._kept.popitem(last=False)
            self._kept[key] = found
        return found


def check_page(params: JsonObject, body: JsonObject) -> None:
    """Refuse a page token that a fault has made stale.

    Raises:
        ApiError: 400: it is.
    """
    if _STALE in {params.get("pageToken"), body.get("pageToken")}:
        raise ApiError(400, "The page token is invalid or expired.", location="pageToken")


def unmatched_error(
    found: NoMatch, request: RecordedRequest, replay: Replay, route: Route
) -> ApiError:
    """424: no recording matches the request.

    Args:
        found: Why.
        request: What was asked, without its secrets.
        replay: The recordings.
        route: What it means.
    """
    first = split_url(request.url).path[1:].partition("/")[0]
    if "path segment 1" in found.differs and _HOST.fullmatch(first):
        return _unrecorded_host(first, replay.known.hosts, route)
    command = stub_command(found, request, replay)
    miss = Miss(
        blame="replay_miss",
        reason=f"{found.reason}{ADDITION}{command}",
        nearest=found.nearest,
        differs=found.differs,
    )
    return _miss_error(miss, route, {"differs": ", ".join(found.differs), "command": command})


def unrecorded_error(known: Iterable[str], route: Route) -> ApiError:
    """424: nothing was recorded of the place that a request goes to, and nothing else answers.

    Args:
        known: The hosts that there are recordings of.
        route: What the request means.
    """
    return _unrecorded_host(route.host or route.path, known, route)


def _unrecorded_host(asked: str, known: Iterable[str], route: Route) -> ApiError:
    hosts = ", ".join(sorted(known)) or "none"
    reason = f"no cassette of this session has recordings of {asked}"
    miss = Miss(blame="replay_miss", reason=f"{reason}; recorded hosts: {hosts}", differs=("host",))
    return _miss_error(miss, route, {"differs": "host"})


def lost_body_error(reason: str, route: Route) -> ApiError:
    """424: the recording that answers has its body in a file that is gone, or another one.

    Args:
        reason: Which file, and what is wrong with it.
        route: What the request means.
    """
    return _miss_error(Miss(blame="replay_miss", reason=reason, differs=("body",)), route, {})


def stub_command(found: NoMatch, request: RecordedRequest, replay: Replay) -> str:
    """The command that adds the missing interaction to a cassette."""
    file = replay.files.get(found.tape) or next(iter(replay.files.values()))
    words = ["understudy", "cassette", "stub", str(file), request.method, request.url]
    if request.body and len(request.body) <= _LONGEST_DATA:
        words += ["--data", request.body.decode("utf-8", "backslashreplace")]
        words += ["--type", media_type(request.headers) or "application/json"]
    for name, value in request.headers:
        if name.lower() in COUNTED_HEADERS:
            words += ["--header", f"{name}: {value}"]
    if found.number:
        words += ["--like", str(found.number)]
    if found.before:
        words += ["--before", str(found.before)]
    return shlex.join(words)


def _is_coarse(differs: str) -> bool:
    """Whether it is no field that a cassette may ignore."""
    return not differs.startswith(("query.", "header.", "body."))


def _miss_error(miss: Miss, route: Route, context: Mapping[str, str]) -> ApiError:
    why, mark, command = miss.reason.partition(ADDITION)
    can_loosen = mark and miss.differs and not any(map(_is_coarse, miss.differs))
    error = ApiError(
        STATUS,
        f"Replay miss: {why}{miss.near}{_LOOSENING if can_loosen else ''}{mark}{command}",
        reason="replayMiss",
        code_name="FAILED_PRECONDITION",
        miss=miss,
    )
    metadata = {"nearest": miss.nearest, **context}
    if route.method is None and route.handler is None:
        error.body = {
            "error": {"code": STATUS, "status": "REPLAY_MISS", "message": error.message, **metadata}
        }
    else:
        info = {"@type": _ERROR_INFO, "reason": "REPLAY_MISS", "domain": "understudy"}
        error.details = ({**info, "metadata": metadata},)
    return error
