"""Finds secrets nobody has seen: by the rules' patterns, by detect-secrets, by randomness."""

import contextlib
import re
import zlib
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import unquote, unquote_to_bytes

from mockserver.redaction.encodings import decode_base64, is_packed, mark_table
from mockserver.redaction.known_secrets import Finding, field_before
from mockserver.redaction.match_checks import passes_check
from mockserver.redaction.pattern_search import PatternSets, find_phrases, is_phrase_rule
from mockserver.redaction.pseudonyms import Pseudonyms
from mockserver.redaction.public_ids import BEFORE, PUBLIC_IDS, public_ids
from mockserver.redaction.reserved_values import find_pseudonyms, is_wildcard, looks_opaque
from mockserver.redaction.rule import Rule
from mockserver.redaction.rules import RuleSet
from mockserver.redaction.stated_values import StatedValues

if TYPE_CHECKING:
    import re2

_RUN_SIGNS = mark_table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=-")
_MARKED_RUN = re.compile(b"x" * 24 + b"x*")
_TOKEN = re.compile(rb"[A-Za-z0-9_+-]{24,}={0,2}")
_STAND_IN = re.compile(rb"[A-Za-z0-9]*(?:Redacted|redacted-)[0-9a-z-]{12,}")
_SHORTEST = 24
_LONGEST = 512
"""Bytes: a longer run is content, which is looked into, and no secret."""

_LEAST_SIGNS = 9
"""Different characters."""

_TOGETHER = re.compile(rb"[A-Za-z0-9]{9}")
"""A token has as many letters and digits side by side; the names of machines have few."""

_HEXADECIMAL = re.compile(rb"[0-9a-fA-F_-]+")
"""Hashes and ids have a rule of their own."""
_LINE = re.compile(rb"[ \t]*[A-Za-z0-9+/_-]+={0,2}[ \t\r]*\n?")
_LONG_LINE = 56
_COMMON = (
    "onretiaterinteestastenntiolesensetouedpececoeclilodealorfipoicoooggoanspglromeraisclittyngri"
    "negeudtoacunveienaigsictarprolurncviilidadcadamaditrciifuschssaiasrtnfypuendaglaelutgrqurcpl"
    "eaophaemegpaexabupeqotmirsomllcucrthcyvasoblevckryhenobaapivodnnbefophsuimrvmormulptaulpirtu"
    "scamtsipmpltbutteoppkeosiaocwooibicclsrdgnrglurkepganisahiubrushgilycsovpsholdnvowxtwafeefgs"
    "xptwewduizrnytpupitceerrdmfaayum"
)
"""The 200 pairs of letters that nearly all names and words are made of, as counted in the names of
1,000 APIs; of the pairs in a random text, one in four is among them."""

_WORDLIKE, _UNLIKE, _LETTER_DIGIT, _HUMP, _DIGITS, _SIGN = -1.6, 1.3, 1.6, 0.5, -0.1, -0.2
"""What a pair of characters says for randomness: how much more often it stands in random texts than
in names, as a logarithm."""


@cache
def _weights() -> dict[tuple[int, int], float]:
    common = {_COMMON[at : at + 2] for at in range(0, len(_COMMON), 2)}
    letters = "abcdefghijklmnopqrstuvwxyz"
    every = letters + letters.upper() + "0123456789_+-="
    weights: dict[tuple[int, int], float] = {}
    for one in every:
        for two in every:
            if not (one + two).isalnum():
                weight = _SIGN
            elif one.isdigit() or two.isdigit():
                weight = _DIGITS if one.isdigit() and two.isdigit() else _LETTER_DIGIT
            elif one.islower() and two.isupper():
                weight = _HUMP
            else:
                weight = _WORDLIKE if (one + two).lower() in common else _UNLIKE
            weights[ord(one), ord(two)] = weight
    return weights


def find_random_texts(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Where something random stands in a text, and what.

    >>> [
    ...     text
    ...     for _, text in find_random_texts(b"id:Zx8Qp0vN3rT6yB1kM9wL4sD7 OrganizationalUnitsV1")
    ... ]
    [b'Zx8Qp0vN3rT6yB1kM9wL4sD7']

    Yields:
        Offset and text.
    """
    for run in _MARKED_RUN.finditer(content.translate(_RUN_SIGNS)):
        start, end = run.span()
        if end - start > _LONGEST:
            continue
        tokens = _random_tokens(content[start:end])
        if tokens and not _is_wrapped(content, start):
            for offset, token in tokens:
                yield start + offset, token


@lru_cache(maxsize=8192)
def _random_tokens(run: bytes) -> tuple[tuple[int, bytes], ...]:
    """What is random in a run; the same names and ids come again in every answer."""
    tokens = ((match.start(), match[0]) for match in _TOKEN.finditer(run))
    found = tuple(token for token in tokens if _is_random(token[1]))
    return () if found and is_packed(run) else found


def _is_random(token: bytes) -> bool:
    """Whether a token is none of words: by what its pairs of characters say together."""
    if b"edacted" in token:
        token = _STAND_IN.sub(b"", token)
    token = token.strip(b"-=")
    if len(token) < _SHORTEST or len(set(token)) < _LEAST_SIGNS:
        return False
    if not _TOGETHER.search(token) or _HEXADECIMAL.fullmatch(token):
        return False
    return sum(map(_weights().__getitem__, pairwise(token))) > 0


def _is_wrapped(content: bytes, start: int) -> bool:
    """Whether it is a line of many: binary content that was wrapped, which is looked into."""
    start = content.rfind(b"\n", 0, start) + 1
    end = _line_end(content, start)
    if not _LINE.fullmatch(content, start, end):
        return False
    before = content.rfind(b"\n", 0, max(0, start - 1)) + 1
    neighbours = ((before, start), (end, _line_end(content, end)))
    return any(
        last - first >= _LONG_LINE and _LINE.fullmatch(content, first, last)
        for first, last in neighbours
    )


def _line_end(content: bytes, start: int) -> int:
    end = content.find(b"\n", start)
    return len(content) if end < 0 else end + 1


_PLUGINS = (
    ("artifactory", "ArtifactoryDetector"), ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"), ("basic_auth", "BasicAuthDetector"),
    ("cloudant", "CloudantDetector"), ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"), ("gitlab_token", "GitLabTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"), ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("jwt", "JwtTokenDetector"), ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"),
    ("openai", "OpenAIDetector"), ("private_key", "PrivateKeyDetector"),
    ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"), ("softlayer", "SoftlayerDetector"),
    ("square_oauth", "SquareOAuthDetector"), ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("twilio", "TwilioKeyDetector"),
)  # fmt: skip
"""Modules and classes; those that guess by words or by numbers of a network are our own rules'."""

_SIGNS = (
    rb"AKC[a-zA-Z0-9]{10}|(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{12}|AccountKey|://[^\s/]{1,80}@"
    rb"|[Cc]loudant|\.[\w-]{6}\.|gh[pousr]_|glpat-|gl[a-z]{1,6}-[A-Za-z0-9_]{16}"
    rb"|GR1348941|[Bb]luemix|[Ii][Bb][Mm][_-]|\beyJ|[0-9a-z]{32}-us[0-9]|_authToken|T3BlbkFJ"
    rb"|BEGIN [A-Z ]{0,40}PRIVATE|PuTTY-User|pypi-AgE|SG\.[\w-]{20}|xox[a-z]-|hooks\.slack"
    rb"|[Ss]oft-?[Ll]ayer|sq0csp|[rs]k_live|\d{8,10}:[0-9A-Za-z_-]{35}|(?:AC|SK)[a-z0-9]{32}"
)
"""Something of this is in every text that a plug-in finds anything in."""

_BEFORE_DOT = re.compile(rb"[MNO][\w-]{23,25}\Z")
"""What stands before the dot where it is a token of Discord; in the expression above it would take
a state for each of its places in random content."""

_AROUND_SIGN = 400
_MEMORY = 64 << 20


def _options() -> "re2.Options":
    import re2

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return options


@cache
def _signs() -> "re2._Regexp":
    import re2

    options = _options()
    options.never_capture = True
    return re2.compile(_SIGNS, options)


class _Plugin(Protocol):
    secret_type: str

    def analyze_string(self, string: str) -> Iterator[str]: ...


@cache
def _plugins() -> tuple[_Plugin, ...]:
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        for module, name in _PLUGINS
    )


def find_vendor_secrets(content: bytes) -> Iterator[tuple[int, bytes, str]]:
    """Where a plug-in finds something in a text, what, and its kind.

    >>> [(at, kind) for at, _, kind in find_vendor_secrets(b"key: AKIA" + b"IOSFODNN7EXAMPLE")]
    [(5, 'aws_access_key')]

    Yields:
        Offset, text and kind.
    """
    for sign in _signs().finditer(content):
        first, last = sign.span()
        if content[first : first + 1] == b".":
            before = _BEFORE_DOT.search(content[max(0, first - 26) : first])
            if before is None:
                continue
            first -= len(before[0])
        start = max(content.rfind(b"\n", 0, first) + 1, first - _AROUND_SIGN)
        line = content[start:last] + content[last : last + _AROUND_SIGN].partition(b"\n")[0]
        for at, secret, kind in _in_line(line):
            yield start + at, secret, kind


@lru_cache(maxsize=1024)
def _in_line(line: bytes) -> tuple[tuple[int, bytes, str], ...]:
    text = line.decode("utf-8", "replace")
    made = []
    for plugin in _plugins():
        for found in plugin.analyze_string(text):
            secret = found.encode("utf-8", "replace")
            at = line.find(secret)
            if secret and at >= 0:
                made.append((at, secret, plugin.secret_type.lower().replace(" ", "_")))
    return tuple(made)


_REMEMBERED = 50_000
_AROUND, _AROUND_LONG = 64, 2048
"""Bytes around a finding in which the pseudonym is looked for that it may be a part of."""

_LONG = re.compile(rb"cmVkYWN0ZWQt|BEGIN PRIVATE KEY")
"""What a long pseudonym has in it: a JWT, a private key."""

_WORTH = re.compile(r"[^\W_]{4,}")
_RANDOM_SIZE = 12
"""What is shorter is the name of what the random text was assigned to."""

_BOUNDARY = re.compile(rb"""boundary=["']?([^\s"';,]{8,70})""")
_SCHEMES = frozenset(
    {"apikey", "basic", "bearer", "digest", "geniekey", "hawk", "http", "https", "negotiate",
     "oauth", "splunk", "ssws", "token"}
)  # fmt: skip


RANDOM = "random"
"""The kind of what is found by its randomness alone: it may be a secret, or an id."""


class _CompiledRules(NamedTuple):
    """The patterns of rules: each, and all of them as one that says which of them to ask."""

    patterns: list[tuple[Rule, "re2._Regexp", int]]
    which: PatternSets
    phrases: list[Rule]
    kept: "re2._Regexp | None"


@lru_cache(maxsize=8)
def _compile_rules(rules: tuple[Rule, ...]) -> _CompiledRules:
    import re2

    options = _options()
    with_pattern = [rule for rule in rules if rule.pattern]
    phrases = [rule for rule in with_pattern if is_phrase_rule(rule)]
    looked_for = [rule for rule in with_pattern if not rule.keep and rule not in phrases]
    kept = "|".join(f"(?:{rule.pattern})" for rule in with_pattern if rule.keep)
    which = PatternSets(re2.Set.SearchSet, [(rule, rule.pattern) for rule in looked_for])
    compiled = [re2.compile(rule.pattern.encode(), options) for rule in looked_for]
    patterns = [(rule, each, each.groups) for rule, each in zip(looked_for, compiled, strict=True)]
    one = re2.compile(kept.encode(), options) if kept else None
    return _CompiledRules(patterns, which, phrases, one)


class UnknownSecrets:
    """Looks for what looks like a secret, and neither stands for nobody nor is allowed.

    Args:
        rules: Their patterns are looked for; what they allow is none.
        stated: What is none unless it opens something.
    """

    def __init__(self, rules: RuleSet, stated: StatedValues | None = None) -> None:
        import re2

        self._personal_kinds = rules.personal_kinds
        self._stated = stated or StatedValues()
        self._rules = _compile_rules(rules.rules)
        self._allowed = [re2.compile(pattern) for pattern in rules.allow]
        self._public = public_ids((*rules.public, *PUBLIC_IDS))
        self._accepted_kinds = {each.kind for each in self._public.ids}
        self._pseudonyms = Pseudonyms(b"any key: what stands for nobody stays as it is")
        self._boundaries: set[bytes] = set()
        self._harmless: dict[tuple[str, bytes], bool] = {}

    def find(self, content: bytes) -> Iterator[Finding]:
        """What looks like a secret in a text.

        Yields:
            Each place, in no order.
        """
        if b"boundary=" in content:
            self._boundaries.update(match[1] for match in _BOUNDARY.finditer(content))
        kept: list[tuple[int, int]] | None = None
        for start, text, kind, check in self._candidates(content):
            if kind not in self._accepted_kinds:
                if self._is_harmless(kind, text, check):
                    continue
                field = ""
            else:  # most of them are public ids, which is seen faster
                field = field_before(content, start)
                if self._is_public(content, start, text, kind, field):
                    continue
                if self._is_harmless(kind, text, check):
                    continue
            finding = Finding(start, text, kind, field=field, check=check)
            if kept is None:
                kept = self._kept_spans(content)
            if _is_within(finding, kept) or _is_part_of_a_coded_one(content, finding):
                continue
            if _has_rest(content, finding):
                yield finding if field else finding._replace(field=field_before(content, start))

    def _kept_spans(self, content: bytes) -> list[tuple[int, int]]:
        """Where rules say that something is no secret."""
        kept = self._rules.kept
        return [] if kept is None else [match.span() for match in kept.finditer(content)]

    def _candidates(self, content: bytes) -> Iterator[tuple[int, bytes, str, str]]:
        """What may be a secret.

        Yields:
            Where, what, its kind, and what it must pass to be one.
        """
        for place in self._rules.which.matching(content):
            rule, pattern, groups = self._rules.patterns[place]
            for match in pattern.finditer(content):
                start, end = match.span(1) if groups and match.start(1) >= 0 else match.span()
                if rule.check != "luhn" or not _is_fraction(content, start):
                    yield start, content[start:end], rule.kind, rule.check
        for rule in self._rules.phrases:
            last = 0
            for start, end in find_phrases(content):
                if start >= last:
                    yield start, content[start:end], rule.kind, rule.check
                    last = end
        for start, text, kind in find_vendor_secrets(content):
            yield start, text, kind, ""
        for start, text in find_random_texts(content):
            yield start, text, RANDOM, ""

    def _is_harmless(self, kind: str, text: bytes, check: str) -> bool:
        mark = (kind, text)
        known = self._harmless.get(mark)
        if known is None:
            known = self._is_no_secret(kind, text, check)
            if len(self._harmless) < _REMEMBERED:
                self._harmless[mark] = known
        return known or text.strip(b"-") in self._boundaries  # between the parts of a message

    def _is_no_secret(self, kind: str, content: bytes, check: str) -> bool:
        text = content.decode("utf-8", "replace")
        return (
            not passes_check(check, text)
            or self._pseudonyms.of(kind, text) == text
            or is_wildcard(text)
            or (kind in self._personal_kinds and text in self._stated)
            or _is_prose(kind, text)
            or any(map(_is_made_up, _decoded_texts(text)))
            or (kind == RANDOM and _codes_a_stand_in(content))
            or any(pattern.fullmatch(text) for pattern in self._allowed)
        )

    def _is_public(self, content: bytes, start: int, text: bytes, kind: str, field: str) -> bool:
        """Whether it is a public id, or a part of one."""
        end = start + len(text)
        before = content[max(0, start - BEFORE) : start]
        if self._public.name(kind, text, field, before):
            return True
        first, last = _run_around(content, start, end)
        if (first, last) == (start, end):
            return False
        before = content[max(0, first - BEFORE) : first]
        name = (field_before(content, first) if first < start else "") or field
        return self._public.name(kind, content[first:last], name, before) != ""


def _is_prose(kind: str, text: str) -> bool:
    """Whether it says the name of a scheme and goes on in words: `Basic authentication`."""
    return kind == "authorization" and not looks_opaque(text.split()[-1])


def _codes_a_stand_in(text: bytes) -> bool:
    """Whether it is base64 of bytes in which something was replaced before."""
    try:
        plain = decode_base64(text)
    except ValueError:
        return False
    readings = [plain.replace(b"\0", b"")]
    headed = plain[:2] == b"\x1f\x8b" or (plain[:1] and int.from_bytes(plain[:2]) % 31 == 0)
    for window in (-zlib.MAX_WBITS, zlib.MAX_WBITS | 32) if headed else (-zlib.MAX_WBITS,):
        with contextlib.suppress(zlib.error):
            readings.append(zlib.decompressobj(window).decompress(plain, _MOST_OPENED))
    return any(find_pseudonyms(reading.decode("latin-1")) for reading in readings)


_MOST_OPENED = 1 << 20


def _is_part_of_a_coded_one(content: bytes, finding: Finding) -> bool:
    """Whether it is a part of longer base64 in which something was replaced before."""
    if finding.kind != RANDOM:
        return False
    lead = content[max(0, finding.start - _AROUND_LONG) : finding.start]
    before = lead[len(lead.rstrip(_CODED_SIGNS)) :]
    after = _CODED_AFTER.match(content, finding.end)
    run = before + finding.text + (after[0] if after else b"")
    return run != finding.text and _codes_a_stand_in(unquote_to_bytes(run))


_RUN_BEFORE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_CODED_SIGNS = _RUN_BEFORE + b"%"
_CODED_AFTER = re.compile(rb"[A-Za-z0-9+/_%-]*")


def _run_around(content: bytes, start: int, end: int) -> tuple[int, int]:
    """The run of characters of base64 that a token is a part of."""
    first = max(0, start - _LONGEST)
    after = _RUN_AFTER.match(content, end)
    return first + len(content[first:start].rstrip(_RUN_BEFORE)), after.end() if after else end


_RUN_AFTER = re.compile(rb"[A-Za-z0-9+/_=-]*")


def _is_within(candidate: Finding, spans: list[tuple[int, int]]) -> bool:
    """Whether a finding is a part of what a rule says is no secret."""
    start, end = candidate.start, candidate.end
    place = bisect_right(spans, (start, end)) - 1
    near = spans[max(0, place) : place + 2]
    return any(first <= start and end <= last for first, last in near)


def _is_fraction(content: bytes, start: int) -> bool:
    """Whether digits stand behind a decimal point: one number in ten has a right check digit."""
    return content[start - 1 : start] == b"." and content[start - 2 : start - 1].isdigit()


def _has_rest(content: bytes, candidate: Finding) -> bool:
    """Whether anything is left of a finding without the pseudonyms that it is in or has in it."""
    touched = False
    end = candidate.end
    wide = max(0, candidate.start - _AROUND_LONG)
    size = _AROUND_LONG if _LONG.search(content, wide, end + _AROUND_LONG) else _AROUND
    start = max(0, candidate.start - size)
    around = content[start : end + size].decode("latin-1")
    left = list(around[candidate.start - start : end - start])
    at = 0
    for pseudonym in find_pseudonyms(around):
        at = around.index(pseudonym, at)
        first = max(0, at - (candidate.start - start))
        last = max(0, min(len(left), at + len(pseudonym) - (candidate.start - start)))
        touched = touched or first < last
        left[first:last] = " " * (last - first)
        at += len(pseudonym)
    if not touched:
        return True
    rest = "".join(left)
    if candidate.kind == "email" and not rest.partition("@")[0].strip():
        return False  # the password of a URL, and the host behind it
    if candidate.kind == RANDOM:
        return any(len(word) >= _RANDOM_SIZE for word in _WORTH.findall(rest))
    return any(word.lower() not in _SCHEMES for word in _WORTH.findall(rest))


def _decoded_texts(text: str) -> Iterator[str]:
    """What a text is where it is coded as a part of a URL, or as Basic credentials.

    Yields:
        Each reading.
    """
    if "%" in text:
        yield unquote(text)
    with contextlib.suppress(ValueError):
        yield b64decode(text.removeprefix("Basic ").removeprefix("basic "), validate=True).decode()


def _is_made_up(text: str) -> bool:
    """Whether a text is pseudonyms and nothing else."""
    rest = text
    for pseudonym in find_pseudonyms(text):
        rest = rest.replace(pseudonym, " ")
    return rest != text and not _WORTH.search(rest)
