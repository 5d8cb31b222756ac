"""URLs, queries and forms: their parts are redacted, and stay as they were written."""

from urllib.parse import quote, quote_plus, unquote, unquote_plus

from mockserver.messages import Pair, joined_pairs, split_pairs, split_url
from mockserver.redaction.checks import fits_field
from mockserver.redaction.judging import Judge
from mockserver.redaction.rules import Rule

_SEGMENT_SAFE = "!$&'()*+,;=:@~-._"
_VALUE_SAFE = "/:@!$'()*,;~-._"


def target(judge: Judge, url: str) -> str:
    """A URL or a target redacted; scheme, host and port stay."""
    parts = split_url(url)
    if parts.scheme.lower() not in {"", "http://", "https://", "ws://", "wss://", "grpc://"}:
        return judge.text(url)
    user = parts.user and judge.stand_in("user_info", parts.user[:-1]) + "@"
    query, fragment = parts.query, parts.fragment
    letting = _letting_in(judge, parts.path) if query else None
    return parts._replace(
        user=user,
        path=_path(judge, parts.path),
        query=query and "?" + form(judge, query[1:], letting),
        fragment=fragment and "#" + form(judge, fragment[1:]),
    ).joined()


def form(judge: Judge, text: str, letting: Rule | None = None) -> str:
    """The pairs of a query or a URL-encoded form redacted.

    Args:
        judge: Knows what to put in the place of a value.
        text: The pairs.
        letting: The rule of a path that lets in who has the link, whatever its parameter is called.
    """
    return joined_pairs(_pair(judge, pair, letting) for pair in split_pairs(text))


def _letting_in(judge: Judge, path: str) -> Rule | None:
    collections = judge.rules.collections
    rules = (collections.get(segment.lower()) for segment in path.split("/"))
    return next((rule for rule in rules if rule is not None and rule.credential), None)


def parameter(judge: Judge, name: str, value: str) -> str:
    """The value of a parameter of a query or a form redacted."""
    if judge.keeps(name, value):
        return value
    rule = judge.rule_of(f"?{name}", value)
    if rule is not None:
        made = judge.value(rule, value)
        if made != value:
            return made
    return value_text(judge, value)


def value_text(judge: Judge, value: str) -> str:
    """A text that may be a URL."""
    if value.startswith(("http://", "https://")) and not any(sign.isspace() for sign in value):
        return target(judge, value)
    return judge.free(judge.text(value))


def _path(judge: Judge, path: str) -> str:
    segments = path.split("/")
    plain = [unquote(segment, errors="surrogateescape") for segment in segments]
    whole = "/".join(plain)
    if whole.count("/") + 1 == len(segments):
        # in one piece, so that a segment is judged by the collection before it
        made = value_text(judge, whole).split("/")
    else:
        made = [value_text(judge, segment) for segment in plain]
        made = [_in_collection(judge, plain, place, new) for place, new in enumerate(made)]
    if len(made) != len(segments):
        made = [value_text(judge, segment) for segment in plain]
    made = [judge.learned.whole(new) for new in made]
    return "/".join(
        raw if new == old else quote(new, safe=_SEGMENT_SAFE, errors="surrogateescape")
        for raw, old, new in zip(segments, plain, made, strict=True)
    )


def _in_collection(judge: Judge, plain: list[str], place: int, made: str) -> str:
    rule = judge.rules.collections.get(plain[place - 1].lower()) if place else None
    if rule is None or made != plain[place] or not fits_field(rule, made):
        return made
    return judge.value(rule, made)


def _pair(judge: Judge, pair: Pair, letting: Rule | None) -> Pair:
    name = _closed(pair.name, judge)
    if pair.value is None or not pair.value:
        return Pair(name, pair.value)
    plain = unquote_plus(pair.value, errors="surrogateescape")
    made = parameter(judge, unquote_plus(pair.name), plain)
    if made == plain and letting is not None:
        made = judge.value(letting, plain)
    if made == plain:
        return Pair(name, pair.value)
    code = quote_plus if "+" in pair.value and "%20" not in pair.value else quote
    safe = "".join(sign for sign in _VALUE_SAFE if sign in pair.value)
    return Pair(name, code(made, safe=safe, errors="surrogateescape"))


def _closed(name: str, judge: Judge) -> str:
    plain = unquote_plus(name, errors="surrogateescape")
    made = judge.text(plain)
    return name if made == plain else quote(made, safe="", errors="surrogateescape")
