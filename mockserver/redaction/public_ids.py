r"""Ids of a known shape that are public: they look random, and open nothing. Data first.

A shape counts as a whole: of a run of characters, or of a part of one. Where it says fields, it is
public only as the value of one of these; where it says `before`, only behind such a text.
"""

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

from mockserver.model import Json
from mockserver.redaction.rule import normalised_name


@dataclass(frozen=True, slots=True)
class PublicId:
    """A kind of id that is no secret.

    Attributes:
        name: What it is, for people.
        shape: RE2 syntax; the whole id.
        fields: Names, normalised, or globs of them, of the fields that hold it; any where empty.
        before: RE2 syntax; what stands right before it, of `BEFORE` characters at most.
        kind: The kind of finding that it is none of.
    """

    name: str
    shape: str
    fields: tuple[str, ...] = ()
    before: str = ""
    kind: str = "random"


BEFORE = 160
"""Bytes before an id that say what it is."""

_ANY = r"[A-Za-z0-9+/_=:.-]{8,}"
_BASE64 = r"[A-Za-z0-9+/_-]{22,}={0,2}"

PUBLIC_IDS: tuple[PublicId, ...] = (
    PublicId(
        "object of a model's API",
        r"(?:chatcmpl|cmpl|gen|msg|resp|req|run|thread|asst|call|toolu|srvtoolu|tool|msgbatch|batch"
        r"|file|step|vs|ft|ftjob|ftckpt|modr|rs|fc|ws|cu|ig|conv|item|event|evt|fp|proj|upload|eval"
        r"|evalrun|container|citation)[-_][A-Za-z0-9]{8,80}",
    ),
    PublicId(
        "object of a payment API",
        r"(?:acct|ch|pi|cus|sub|si|in|ii|il|price|prod|plan|pm|py|txn|evt|re|tr|po|card|ba|src|seti"
        r"|mandate|coupon|promo|di|cn|qt|sched|file|link|txi|fee|dp|np|or|sku|issfr|iauth|ipi)_"
        r"(?:test_|live_)?[A-Za-z0-9]{14,40}",
    ),
    PublicId(
        "Google file",
        r"1[A-Za-z0-9_-]{32}|1[A-Za-z0-9_-]{43}|0B[A-Za-z0-9_-]{26}|1[A-Za-z0-9_-]{56}",
        fields=(
            "id", "ids", "*fileid", "*folderid", "*spreadsheetid", "*documentid", "driveid",
            "*presentationid", "*formid", "*scriptid", "parents", "destinationid", "fileids",
        ),
    ),
    PublicId(
        "Google file in a path",
        r"[A-Za-z0-9_-]{25,60}",
        before=r"/(?:d|d/e|folders|files|file/d|spreadsheets|documents|presentations|forms|drives"
        r"|projects/scripts)/$",
    ),
    PublicId(
        "video, channel or playlist",
        r"UC[A-Za-z0-9_-]{22}|(?:PL|UU|FL|LL|RD|OLAK5uy_)[A-Za-z0-9_-]{16,41}|[A-Za-z0-9_-]{11}",
        fields=(
            "id", "*channelid", "*playlistid", "browseid", "list", "*videoid", "uploads", "v",
            "playlistitemid",
        ),
    ),
    PublicId("integrity", r"sha(?:1|256|384|512)[-=][A-Za-z0-9+/_-]{27,88}={0,2}"),
    PublicId("checksum of a module", r"[A-Za-z0-9+/]{43}=", before=r"\bh1:$"),
    PublicId(
        "digest",
        r"[A-Za-z0-9+/_-]{22,88}={0,2}",
        before=r"(?i)(?:md5|sha-?(?:1|224|256|384|512)|crc32c|blake[23]b?)[=:\-]:?$",
    ),
    PublicId(
        "checksum",
        _BASE64,
        fields=(
            "*md5", "md5hash", "*crc32c", "*xgooghash", "*digest", "*integrity", "*checksum",
            "*checksums", "shasum", "*sha1", "*sha256", "*sha512", "narhash",
        ),
    ),
    PublicId(
        "entity tag",
        _ANY,
        fields=("etag", "ifnonematch", "ifmatch", "ifrange", "*etag", "xgoogstoredcontentencoding"),
    ),
    PublicId(
        "id of a request",
        _ANY,
        fields=(
            "*requestid", "*correlationid", "*traceid", "*spanid", "traceparent", "tracestate",
            "xamzid2", "xamzcfid", "cfray", "xguploaderuploadid", "xvercelid", "xcache",
            "xamzcfpop",
            "xservedby", "*invocationid", "*operationid", "responseid", "b3", "xb3*", "xrunid",
            "xcloudtracecontext", "xrailsrequestid", "xgithubrequestid", "hostid",
            "xamzreplicationid",
        ),
    ),
    PublicId(
        "version of an object", _ANY, fields=("*versionid", "*resourceversion", "*generation")
    ),
    PublicId(
        "address of a report",
        r"[A-Za-z0-9+/_=-]{24,}",
        before=r"/report/v\d\?s=$|(?i)/csp/[a-z_]*/?$",
    ),
    PublicId("nonce of a page", r"nonce-[A-Za-z0-9+/_-]{8,}={0,2}"),
    PublicId(
        "picture, document or font",
        r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|UEsDB|T2dnUw|SUQz|d09G[MR]|AAEAAAA|PHN2Zy"
        r"|AAAA[A-Z]{1,2}[hnG]?Z0eX|Qk[0-9A-Z]|AAABAA|R0lGODlh|//s[A-Za-z0-9]|Gf0OFA|GkXfo)"
        r"[A-Za-z0-9+/_=-]*",
    ),
    PublicId(
        "content of a data URL",
        r"[A-Za-z0-9+/_=-]+",
        before=r"data:[\w.+/-]+(?:;[\w.=-]+)*;base64,$",
    ),
    PublicId(
        "vector",
        r"[A-Za-z0-9+/=_-]{24,}",
        fields=("embedding", "embeddings", "vector", "*embedding", "bytesbase64encoded"),
    ),
    PublicId(
        "content of a file",
        r"[A-Za-z0-9+/=_-]{24,}",
        fields=("b64json", "imagebytes", "inlinedata", "thumbnail", "blurhash", "pixels"),
    ),
    PublicId(
        "state of a model",
        r"[A-Za-z0-9+/=_-]{24,}",
        fields=("thoughtsignature", "encryptedcontent", "reasoningsignature"),
    ),
    PublicId("public key", r"[A-Za-z0-9+/=]+", before=r"(?:ssh-\w+|ecdsa-sha2-nistp\d+) $"),
    PublicId("public key", r"AAAA[BCE]3?[A-Za-z0-9+/]{16,}={0,3}"),
    PublicId(
        "public key", r"[A-Za-z0-9+/_=-]{40,}", fields=("x5c", "x5t", "x5ts256", "n", "x", "y")
    ),
    PublicId(
        "id of a key", r"[A-Za-z0-9+/_=.-]{8,88}", fields=("kid", "keyid", "keyfingerprint")
    ),
    PublicId(
        "fingerprint", r"[A-Za-z0-9+/]{43}=?", before=r"SHA256:$"
    ),
    PublicId(
        "ULID",
        r"(?:[a-z]{2,16}_)?0[0-7][0-9A-HJKMNP-TV-Z]{24}|[a-z]{2,16}_0[0-7][0-9a-z]{24}",
    ),
    PublicId(
        "cuid or KSUID",
        r"c[a-z0-9]{24}|[0-9a-v]{20}|[A-Za-z0-9]{27}",
        fields=("id", "*ksuid", "*cuid"),
    ),
    PublicId("extension of a browser", r"[a-p]{32}"),
    PublicId(
        "machine or pod of a cluster",
        r"[a-z][a-z0-9-]*-(?:[0-9a-f]{6,10}|[bcdfghjklmnpqrstvwxz0-9]{8,10})-[a-z0-9]{4,5}",
    ),
    PublicId("content address", r"Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,70}"),
    PublicId("identity of a social network", r"[a-z2-7]{24}", before=r"did:plc:$"),
    PublicId("address on a chain", r"0x[0-9a-fA-F]{40,64}|bc1[a-z0-9]{25,59}"),
    PublicId(
        "node of a graph",
        r"[A-Z]{1,6}_(?:kw|lA|lQ|gD)[A-Za-z0-9_-]{6,80}|MD[A-Z][0-9A-Za-z+/=]{8,80}",
        fields=("id", "nodeid", "*nodeid", "*cursor"),
    ),
    PublicId("boundary of parts", r"[A-Za-z0-9_=.-]{8,70}", fields=("boundary",)),
    PublicId("boundary of parts", r"-*(?:WebKitFormBoundary[A-Za-z0-9]{16}|=_Part_[\w.-]+)-*"),
)  # fmt: skip
"""The table; of the kind `random`, all of it."""


class PublicIds:
    """Says whether a finding is a public id.

    Args:
        ids: The table, and what a user accepted.
    """

    def __init__(self, ids: tuple[PublicId, ...]) -> None:
        import re2

        self.ids = ids
        # those of the table are plain enough for the one that is faster on short texts
        self._shapes = [
            (re if each in PUBLIC_IDS else re2).compile(each.shape.encode()) for each in ids
        ]
        self._before = [re2.compile(each.before.encode()) if each.before else None for each in ids]
        self._fields = [
            re.compile("|".join(translate(name) for name in each.fields)) if each.fields else None
            for each in ids
        ]
        self._named: dict[tuple[str, str], tuple[int, ...]] = {}

    def name(self, kind: str, text: bytes, field_name: str, before: bytes) -> str:
        """What a finding is, or an empty string where it is no public id.

        Args:
            kind: Its kind.
            text: All of it.
            field_name: The normalised name of its field, or an empty string.
            before: What stands right before it.
        """
        for place in self._of(kind, field_name):
            if self._shapes[place].fullmatch(text):
                lead = self._before[place]
                if lead is None or lead.search(before):
                    return self.ids[place].name
        return ""

    def _of(self, kind: str, field_name: str) -> tuple[int, ...]:
        """Which of them there are of a kind in a field of this name; remembered."""
        found = self._named.get((kind, field_name))
        if found is None:
            found = tuple(
                place
                for place, (each, names) in enumerate(zip(self.ids, self._fields, strict=True))
                if each.kind == kind and (names is None or names.fullmatch(field_name))
            )
            if len(self._named) < _REMEMBERED:
                self._named[kind, field_name] = found
        return found


_REMEMBERED = 10_000

public_ids = lru_cache(16)(PublicIds)
"""Those of a table, made once: each redactor that asks has the same."""


def parse_public_id(value: Json, where: str) -> PublicId:
    """What a user accepted, from a mapping: `{kind, shape, field?}`.

    Raises:
        ValueError: It cannot be; the message says why.
    """
    if not isinstance(value, dict):
        raise ValueError(  # noqa: TRY004 - a user's file
            f"{where}: a text, or a mapping with kind and shape was expected"
        )
    for key, item in value.items():
        if key not in {"kind", "shape", "field"}:
            raise ValueError(f"{where}: {key!r} is not known here; known: kind, shape, field")
        if not isinstance(item, str) or not item:
            raise ValueError(f"{where}.{key}: a text was expected")
    for key in ("kind", "shape"):
        if key not in value:
            raise ValueError(f"{where}.{key}: a text was expected")
    named = normalised_name(value.get("field", ""))
    return PublicId("accepted", value["shape"], (named,) if named else (), kind=value["kind"])


def shape_of_id(text: str) -> str:
    r"""The shape of an id, without its value: its first word, its letters, about its length.

    >>> shape_of_id("chatcmpl-9Xk2mQ7Lw4Rt8Np5"), shape_of_id("7f3a9c1e5b8d2046")
    ('chatcmpl\\-[A-Za-z0-9]{12,20}', '[a-z0-9]{12,20}')
    """
    word = _WORD.match(text)
    rest = text[word.end() :] if word else text
    classes = "".join(
        name
        for name, found in (("A-Z", "A-Z"), ("a-z", "a-z"), ("0-9", "0-9"))
        if re.search(f"[{found}]", rest)
    )
    signs = "".join(f"\\{sign}" for sign in sorted(set(re.sub(r"[A-Za-z0-9]", "", rest))))
    size = len(rest)
    front = re.escape(word[0]) if word else ""
    return f"{front}[{classes}{signs}]{{{size - size // 4},{size + size // 4}}}"


_WORD = re.compile(r"[a-z]{2,12}[-_](?=[A-Za-z0-9])")
