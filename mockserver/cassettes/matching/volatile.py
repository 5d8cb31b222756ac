"""What of a request does not count, for each API: a table."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

COUNTED_HEADERS = frozenset({
    "content-range", "if-match", "if-modified-since", "if-none-match", "if-range", "range",
    "soapaction", "x-amz-target", "x-goog-fieldmask", "x-goog-upload-command",
    "x-goog-upload-offset",
})  # fmt: skip
"""The headers that ask for something; no other one tells two requests apart."""


_HOSTS_KEPT = 512


@dataclass(frozen=True, slots=True)
class VolatileRule:
    """What does not count at some paths of some hosts.

    Attributes:
        host: A glob.
        target: A regular expression that is searched in path and query as they are sent.
        query: Names of query or form fields that do not count; `name=value` where only that value
            does not.
        body: Members of a JSON body that do not count, with dots between; `*` is every item.
        times: Names of query fields and members of the body whose times of day (RFC 3339, or
            seconds since 1970) count only as long as a recording has the very same.
        why: Why they do not count.
    """

    host: str
    target: str = ""
    query: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    why: str = ""


RULES = (
    VolatileRule(
        "*",
        query=("_", "oauth_nonce", "oauth_timestamp", "oauth_signature", "access_token"),
        why="cache busters, and who asks",
    ),
    VolatileRule(
        "*",
        query=(
            "X-Amz-Date", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token",
            "X-Goog-Date", "X-Goog-Signature", "X-Goog-Credential", "Expires", "Signature",
            "GoogleAccessId",
        ),
        target="(?i)[?&](?:x-(?:amz|goog)-)?signature=",
        why="signed URLs: who asks, and until when",
    ),
    VolatileRule(
        "*.googleapis.com",
        query=(
            "key", "oauth_token", "quotaUser", "userIp", "prettyPrint", "alt=json", "$alt=json",
            "$.xgafv", "requestId",
        ),
        body=("requestId",),
        why="Google's system parameters, and ids by which a retry is told from a new request",
    ),
    VolatileRule(
        "oauth2.googleapis.com",
        query=("assertion", "code_verifier", "subject_token", "client_assertion"),
        why="signed anew for each request",
    ),
    VolatileRule(
        "logging.googleapis.com",
        body=("entries.*.insertId", "entries.*.timestamp"),
        times=("filter",),
        why="stamped by the client; filters reckon from now",
    ),
    VolatileRule(
        "monitoring.googleapis.com",
        times=(
            "interval.startTime", "interval.endTime", "start", "end", "time",
            "timeSeries.*.points.*.interval.startTime", "timeSeries.*.points.*.interval.endTime",
        ),
        why="windows reckon from now",
    ),
    VolatileRule(
        "admin.googleapis.com",
        target="/admin/reports/",
        times=("startTime", "endTime"),
        why="windows reckon from now",
    ),
    VolatileRule(
        "cloudtrace.googleapis.com", times=("startTime", "endTime"), why="windows reckon from now"
    ),
    VolatileRule(
        "chromemanagement.googleapis.com",
        times=("filter",),
        why="windows reckon from now",
    ),
    VolatileRule(
        "*", target=r"/(?:api/v1|v1)/query(?:_range)?(?:\?|$)", times=("start", "end", "time"),
        why="Prometheus: windows reckon from now",
    ),
    VolatileRule(
        "*",
        target=r"/(?:v1/)?(?:chat/completions|responses|messages|embeddings)(?:\?|$)",
        body=("user", "metadata.user_id", "safety_identifier", "prompt_cache_key"),
        why="model APIs: who asks, and where to cache",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IgnoredParts:
    """What does not count in one request.

    Attributes:
        query: Names of query or form fields, or `name=value`.
        body: Paths of members of a JSON body, `*` for every item.
        times: Names of fields whose times do not count when they are left out.
        time_members: The same as paths of members.
    """

    query: frozenset[str] = frozenset()
    body: tuple[tuple[str, ...], ...] = ()
    times: frozenset[str] = frozenset()
    time_members: tuple[tuple[str, ...], ...] = ()


class Volatile:
    """The table, asked for one request at a time.

    Args:
        rules: All of those that fit a request hold.

    Attributes:
        rules: The same.
    """

    __slots__ = ("_hosts", "rules")

    def __init__(self, rules: Iterable[VolatileRule] = RULES) -> None:
        self.rules = tuple(rules)
        self._hosts: dict[str, _HostRules] = {}

    def of(self, host: str, target: str) -> IgnoredParts:
        """What does not count in a request to a host.

        >>> Volatile().of("directory.example.com", "/users?_=1").body
        ()
        """
        known = self._hosts.get(host)
        if known is None:
            if len(self._hosts) >= _HOSTS_KEPT:
                self._hosts.clear()
            known = self._hosts[host] = _HostRules(self.rules, host)
        return known.ignored_parts(target)


class _HostRules:
    """The rules of one host, those that every request meets put together."""

    __slots__ = ("_always", "_made", "_sometimes")

    def __init__(self, rules: Iterable[VolatileRule], host: str) -> None:
        fitting = [rule for rule in rules if re.match(translate(rule.host), host)]
        self._always = tuple(rule for rule in fitting if not rule.target)
        self._sometimes = [(re.compile(rule.target), rule) for rule in fitting if rule.target]
        self._made: dict[tuple[VolatileRule, ...], IgnoredParts] = {
            (): _ignored_parts(self._always)
        }

    def ignored_parts(self, target: str) -> IgnoredParts:
        met = tuple(rule for pattern, rule in self._sometimes if pattern.search(target))
        found = self._made.get(met)
        if found is None:
            found = self._made[met] = _ignored_parts((*self._always, *met))
        return found


VOLATILE = Volatile()


def _ignored_parts(rules: Iterable[VolatileRule]) -> IgnoredParts:
    rules = tuple(rules)
    times = [name for rule in rules for name in rule.times]
    return IgnoredParts(
        query=frozenset(name for rule in rules for name in rule.query),
        body=tuple(tuple(path.split(".")) for rule in rules for path in rule.body),
        times=frozenset(times),
        time_members=tuple(tuple(path.split(".")) for path in times),
    )
