"""Redacts texts by their notation: pairs of YAML, HCL, SQL or markup, base64, percent encoding."""

import binascii
import json
import re
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from html import escape, unescape
from quopri import decodestring, encodestring
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import quote, unquote

from mockserver.redaction.match_checks import passes_check
from mockserver.redaction.rule import Rule, normalised_name
from mockserver.redaction.rules import RuleSet

if TYPE_CHECKING:
    import re2


_PAIR = re.compile(
    r'(\\*"((?:[^"\\\n]|\\[^"\n]){1,80})\\*"\s*:\s*\\*")((?:[^"\\]|\\.)*?)(\\*"|\Z)', re.DOTALL
)
_TAG = re.compile(
    r"(<([\w:.-]{1,80})(?:\s[^<>]*)?>(?:\s*<!\[CDATA\[)?)((?<=\[CDATA\[)(?:(?!\]\]>).)+|[^<>]+)"
    r"((?:\]\]>\s*)?</\2\s*>)", re.DOTALL,
)  # fmt: skip
_NESTED = re.compile(
    r"(<[A-Za-z][\w:.-]*\s[^<>]*?(?<![\w-])(?:name|key|Name|Key)=([\"'])([^\"'<>]{1,80})\2[^<>]*(?<!/)>"
    r"\s*(?:<([Vv]alue|string|data)(?:\s[^<>]*)?>)?(?:<!\[CDATA\[)?)([^<>]*[^<>\s][^<>]*)(</)"
)
_ELEMENT = re.compile(
    r"<[A-Za-z][\w:.-]*(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)+\s*/?>"
)
_ATTRIBUTE = re.compile(r"([\w:@.-]+)(\s*=\s*)(\"[^\"]*\"|'[^']*')")
_KEYED = re.compile(
    r"(<(key|name|Key|Name)>([^<>]{1,80})</\2>\s*(?:<value>\s*)?"
    r"<(string|value|data|Value|base64)>)([^<>]+)(</\4>)"
)
_WRAPPED = re.compile(r"(<([\w:.-]{1,80})>\s*<([Vv]alue|string)>)([^<>]+)(</\3>)")
# from the beginning of a word alone, or a long word is gone through from each of its characters
_CODED = re.compile(
    r"(?<![^\s<>\"'])[^\s<>\"']*&(?:#\d{2,6}|#x[0-9A-Fa-f]{2,6}|[A-Za-z]{2,8});[^\s<>\"']*"
)
_MARKUP_QUOTED = re.compile(
    r"(?im)(^content-transfer-encoding:[ \t]*quoted-printable[ \t]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n)"
    r"(.*?)(?=\r?\n--|\Z)", re.DOTALL,
)  # fmt: skip
_SECRET_DATA = re.compile(
    r"(?m)^( *)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+[^\r\n]*(?:\r?\n|\Z))+)"
)
_SECRET_LINE = re.compile(
    r"(?m)^([ \t]+[\w.-]+:[ \t]*)(\"[^\"\r\n]*\"|'[^'\r\n]*'|[^\s#|>][^\r\n]*?)"
    r"([ \t]*(?:[ \t]#[^\r\n]*)?\r?)$"
)
_SECRET_BLOCK = re.compile(
    r"(?m)^([ \t]+)([\w.-]+:[ \t]*[|>][+-]?[ \t]*\r?\n)((?:\1[ \t]+[^\r\n]*(?:\r?\n|\Z))+)"
)
_LINE_OF_BLOCK = re.compile(r"(?m)^([ \t]+)([^\r\n]*[^\s])")
_NAMES = ("name", "key", "property", "id", "http-equiv")
_VALUES = ("value", "content")


class FieldValues(Protocol):
    """What knows what to put in the place of a text, with or without the name of its field."""

    @property
    def rules(self) -> RuleSet:
        """What is a secret."""

    def redact_value(self, rule: Rule, text: str) -> str:
        """The stand-in of a field's whole value."""

    def redact_named_value(self, name: str, value: str) -> str:
        """What stands in for the whole value of a field; itself where no rule names it."""

    def redact_text(self, text: str, depth: int = 0) -> str:
        """A text with what is found in it replaced."""

    def redact_texts(self, texts: Iterable[str], depth: int = 0) -> Mapping[str, str]:
        """The same for many at once, by text."""


def redact_broken_json(values: FieldValues, text: str) -> str:
    """A text with the values of quoted pairs redacted by their names."""
    return _PAIR.sub(lambda found: _pair(values, found), text)


def has_markup(text: str) -> bool:
    """Whether a text may be XML or HTML, or has entities in it; cheap."""
    return "<" in text or ("&" in text and ";" in text)


def redact_markup(values: FieldValues, text: str, depth: int = 0) -> str:
    """A text with elements and attributes of XML and HTML redacted by their names.

    Args:
        values: Knows what to put in the place of a text.
        text: Not yet judged.
        depth: How many texts are around this one.
    """

    def element(found: "re.Match[str]") -> str:
        plain = unescape(found[3])
        made = values.redact_named_value(found[2].rpartition(":")[2], plain)
        return found[1] + (found[3] if made == plain else escape(made, quote=False)) + found[4]

    def redact_keyed(found: "re.Match[str]") -> str:
        plain = unescape(found[5])
        made = values.redact_named_value(unescape(found[3]), plain)
        return found[1] + (found[5] if made == plain else escape(made, quote=False)) + found[6]

    def redact_coded(found: "re.Match[str]") -> str:
        plain = unescape(found[0])
        made = values.redact_text(plain, depth + 1)
        return found[0] if made == plain else escape(made)

    if "<" in text:
        text = _with_attributes(values, text, depth)
        text = _NESTED.sub(lambda found: _redact_nested_text(values, found), text)
        text = _WRAPPED.sub(lambda found: _redact_wrapped_value(values, found), text)
        text = _TAG.sub(element, _KEYED.sub(redact_keyed, text))
    return _CODED.sub(redact_coded, text) if "&" in text else text


def _redact_wrapped_value(values: FieldValues, found: "re.Match[str]") -> str:
    """The value within an element that says its name: `<Password><Value>...`."""
    plain = unescape(found[4])
    made = values.redact_named_value(found[2].rpartition(":")[2], plain)
    return found[0] if made == plain else found[1] + escape(made, quote=False) + found[5]


def _redact_nested_text(values: FieldValues, found: "re.Match[str]") -> str:
    """The text of an element that an attribute names: `<string name="password">...`."""
    plain = unescape(found[5].strip())
    fits = passes_check("set" if found[4] else "secretlike", plain)
    fits = fits and normalised_name(plain) != normalised_name(found[3])
    fits = fits and (" " not in plain or passes_check("phrase", plain))
    made = values.redact_named_value(unescape(found[3]), plain) if fits else plain
    if made == plain:
        return found[0]
    return found[1] + found[5].replace(found[5].strip(), escape(made, quote=False)) + found[6]


class _Attribute(NamedTuple):
    start: int
    end: int
    sign: str
    plain: str
    made: str


def _with_attributes(values: FieldValues, text: str, depth: int) -> str:
    """A text with the values of attributes redacted; those that no rule names all together."""
    found = [
        attribute
        for element in _ELEMENT.finditer(text)
        for attribute in _attributes(values, text, element.span())
    ]
    unnamed = [each.plain for each in found if each.made == each.plain]
    judged = values.redact_texts(unnamed, depth + 1) if unnamed else {}
    done, last = [], 0
    for start, end, sign, plain, named in found:
        made = judged[plain] if named == plain else named
        if made != plain:
            done += [text[last:start], sign, escape(made), sign]
            last = end
    return "".join([*done, text[last:]]) if done else text


def _attributes(values: FieldValues, text: str, span: tuple[int, int]) -> Iterator[_Attribute]:
    """The attributes of an element, each with what stands in for its value by its name.

    Yields:
        In order.
    """
    pairs = [(pair, unescape(pair[3][1:-1]), pair[1]) for pair in _ATTRIBUTE.finditer(text, *span)]
    beside_it = {name.lower(): plain for _, plain, name in pairs}
    beside = next((beside_it[name] for name in _NAMES if name in beside_it), "")
    if beside_it.get("type") == "password":
        beside = "password"
    for pair, plain, full in pairs:
        name = full.rpartition(":")[2]
        made = values.redact_named_value(name.removeprefix("data-"), plain)
        if made == plain and beside and name.lower() in _VALUES:
            made = values.redact_named_value(beside, plain)
        yield _Attribute(*pair.span(3), pair[3][0], plain, made)


def redact_quoted_printable(values: FieldValues, text: str, depth: int = 0) -> str:
    """A message with the parts redacted that are quoted-printable."""

    def part(found: "re.Match[str]") -> str:
        return found[1] + redact_quoted_printable_bytes(
            values, found[2].encode("utf-8", "surrogateescape"), depth
        )

    return _MARKUP_QUOTED.sub(part, text) if "uoted-printable" in text else text


def redact_quoted_printable_bytes(values: FieldValues, content: bytes, depth: int = 0) -> str:
    """Quoted-printable bytes, redacted inside."""
    redact_line = content.decode("utf-8", "surrogateescape")
    try:
        plain = decodestring(content).decode()
    except UnicodeDecodeError:
        return redact_line
    made = values.redact_text(plain, depth + 1)
    if made == plain:
        return redact_line
    redact_coded = encodestring(made.encode()).decode()
    return redact_coded.replace("\n", "\r\n") if b"\r\n" in content else redact_coded


def redact_secret_manifest(values: FieldValues, text: str) -> str:
    """A manifest of Kubernetes with the values of its Secrets redacted."""
    rule = values.rules.find("kubernetes_secret")
    if rule is None or not _SECRET_KIND.search(text):
        return text

    def line(found: "re.Match[str]") -> str:
        return found[1] + values.redact_value(rule, found[2].strip("'\"")) + found[3]

    def redact_line(found: "re.Match[str]") -> str:
        return found[1] + values.redact_value(rule, found[2])

    def block(found: "re.Match[str]") -> str:
        return found[1] + found[2] + _LINE_OF_BLOCK.sub(redact_line, found[3])

    def data(found: "re.Match[str]") -> str:
        made = _SECRET_BLOCK.sub(block, _SECRET_LINE.sub(line, found[2]))
        return found[0].replace(found[2], made)

    return _SECRET_DATA.sub(data, text)


_SECRET_KIND = re.compile(r"(?m)^[ \t-]*kind:[ \t]*[\"']?Secret\b")


def _pair(values: FieldValues, found: "re.Match[str]") -> str:
    made = values.redact_named_value(found[2], _plain(found[3]))
    if made == _plain(found[3]):
        return found[0]
    return found[1] + json.dumps(made)[1:-1] + found[4]


def _plain(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


_NAMED = (
    r"(?:name|key|Name|Key|ParameterKey|OptionName|headerName|variable|parameter|property"
    r"|parameter_name|setting)"
)
_HELD = r"(?:value|Value|ParameterValue|stringValue|string_value|val|parameter_value|default_value)"
_SCALAR = (
    r"(?P<quote>[\"'])(?P<value>(?:(?!(?P=quote))[^\\\r\n]|\\.)+)(?P=quote)"
    r"|(?:[|>][+-]?[ \t]*\r?\n[ \t]+)?"
    r"(?P<bare>[^\s\"'|>&*!{\[#,](?:[^\r\n]*?[^\s,])?)(?=[ \t]*(?:[\r\n]|\Z|[ \t]\#|,[ \t]*[\r\n]))"
)
_QUOTED = r"(?P<quote>[\"'])(?P<value>(?:(?!(?P=quote))[^\\\r\n]|\\.)+)(?P=quote)"
_NAME = r"(?P<named>[\"']?)(?P<name>[\w./-]{1,80})(?P=named)"
_PASSWORDS = (
    r"(?:passw(?:or)?ds?|passwd|passphrase|passcode|passwort|kennwort|contraseña|mot de passe"
    r"|senha|wachtwoord|pwd)"
)
_SECRETS = rf"(?:{_PASSWORDS}|[_-]pass|secret|token|api[_-]?key|[_-]key|requirepass|masterauth)"
_WORD = r"[^\W\d_][\w!@#$%^&*+-]*(?:\.[\w!@#$%^&*+-]+)*"
_OPEN, _SHUT = "[\"'`\u201c\u2018\u201e\u00ab]", "[\"'`\u201d\u2019\u201c\u00bb]"


class Notation(NamedTuple):
    """A way to write a value down with its name.

    Attributes:
        trigger: RE2, of what every text has that is written so; it is asked of many texts at once
            and must cost nothing where it does not hold.
        pattern: With the group `value` or `bare`, and `name` or `said`: a word of the text that
            makes the value a password.
        check: What the value must pass: one of `CHECKS`, or `word`: no word of a sentence about
            passwords.
    """

    trigger: str
    pattern: "re.Pattern[str]"
    check: str = "set"


NOTATIONS: tuple[Notation, ...] = (
    # pairs of name and value on two lines, as Kubernetes has them
    Notation(
        rf"{_NAMED}:[^\n]{{1,100}}\n[ \t]+{_HELD}:",
        re.compile(rf"\b{_NAMED}:[ \t]*{_NAME}[ \t]*\r?\n[ \t]+{_HELD}:[ \t]*(?:{_SCALAR})"),
    ),
    Notation(
        rf"{_HELD}:[^\n]+\n[ \t]+{_NAMED}:",
        re.compile(rf"\b{_HELD}:[ \t]*(?:{_SCALAR})[^\r\n]*\r?\n[ \t]+{_NAMED}:[ \t]*{_NAME}\b"),
    ),
    # variable "db_password" { default = "..." }, output "..." { value = "..." }
    Notation(
        r"\b(?:variable|output)[ \t]+[\"'][\w-]+[\"'][ \t]*\{",
        re.compile(
            rf"\b(?:variable|output)[ \t]+{_NAME}[ \t]*\{{"
            rf"(?:(?!\b(?:variable|output)[ \t])[^\x00]){{0,1000}}?\b(?:default|value)[ \t]*=[ \t]*"
            rf"(?:{_QUOTED})"
        ),
    ),
    # set { name = "auth.password"  value = "..." }
    Notation(
        r"\bname[ \t]*=[^\n]{1,100}[\n;]\s*value[ \t]*=",
        re.compile(rf"\bname[ \t]*=[ \t]*{_NAME}[ \t]*[\r\n;]\s*value[ \t]*=[ \t]*(?:{_QUOTED})"),
    ),
    # param dbPassword string = '...'
    Notation(
        r"\bparam[ \t]+\w+[ \t]+\w+[ \t]*=",
        re.compile(rf"\bparam[ \t]+{_NAME}[ \t]+\w+[ \t]*=[ \t]*(?:{_QUOTED})"),
    ),
    # ENV DB_PASSWORD ..., SetEnv, setx, fastcgi_param
    Notation(
        r"\b(?:ENV|SetEnv|setx|setenv|fastcgi_param)[ \t]+\w",
        re.compile(
            rf"(?m)^[ \t]*(?:ENV|SetEnv|setx|setenv|fastcgi_param)[ \t]+{_NAME}[ \t]+(?:{_SCALAR})"
        ),
    ),
    # ${DB_PASSWORD:-...}
    Notation(
        r"\$\{[\w.]+:[-=]?[^}]",
        re.compile(r"\$\{(?P<name>[\w.]{1,80}):[-=]?(?P<value>[^}\s$\"']+)\}"),
    ),
    # os.getenv("DB_PASSWORD", "..."), process.env.DB_PASSWORD || "...", ENV["X"] ?? "..."
    Notation(
        r"(?i)env\w*(?:\.\w+)?[\[(.][^\n]{1,100}(?:,|\|\||\?\?|\bor\b)[ \t]*[\"']",
        re.compile(
            r"(?i)(?:env|environ|getenv|variable)\w*(?:\.(?:get|fetch|var))?[\[(.]+[ \t]*[\"']?"
            r"(?P<name>[A-Za-z_][\w.]{1,80})[\"']?[\])]*[ \t]*(?:,|\|\||\?\?|\bor\b)[ \t]*"
            r"(?P<quote>[\"'])(?P<value>(?:(?!(?P=quote))[^\r\n])+)(?P=quote)"
        ),
    ),
    # password: <%= ENV["X"] || "..." %>
    Notation(
        rf"(?i){_SECRETS}[\"'\])]*[ \t]*[:=][^\n]{{1,60}}(?:\|\||\?\?|\bor\b)[ \t]*[\"']",
        re.compile(
            rf"(?i)(?<![\w-])(?P<name>[\w.-]{{0,60}}?{_SECRETS})[\"'\])]*[ \t]*[:=][^\r\n]{{1,60}}?"
            r"(?:\|\||\?\?|\bor\b)[ \t]*(?P<quote>[\"'])(?P<value>[^\"'\s]{4,80})(?P=quote)"
        ),
        check="secretlike",
    ),
    # a quoted value of several words
    Notation(
        rf"(?i){_SECRETS}[\"'\])]*[ \t]*(?:=>|[:=])[ \t]*[\"'][^\"'\n]*[ \t]",
        re.compile(
            rf"(?i)(?<![\w-])(?P<name>[\w.-]{{0,60}}?{_SECRETS})[\"'\])]*[ \t]*(?:=>|[:=])[ \t]*"
            r"(?P<quote>[\"'])(?P<value>(?=[^\"'\r\n]*\s)(?:(?!(?P=quote))[^\r\n\\]){6,80})(?P=quote)"
        ),
        check="phrase",
    ),
    # a plain word, alone on its line or quoted
    Notation(
        rf"(?i)(?:{_PASSWORDS}|[_-]pass)[ \t]*[:=][ \t]*[\pL]|(?:requirepass|masterauth)[ \t]",
        re.compile(
            rf"(?im)^[ \t]*(?:-[ \t]+|export[ \t]+|set[ \t]+)?(?P<name>[\w.-]{{0,60}}?"
            rf"(?:{_PASSWORDS}|[_-]pass|requirepass|masterauth))"
            rf"(?:[ \t]*[:=][ \t]*|(?<=requirepass)[ \t]+|(?<=masterauth)[ \t]+)"
            rf"(?P<value>{_WORD})[ \t]*(?=[\r\n]|\Z|[ \t]\#)"
        ),
        check="word",
    ),
    Notation(
        rf"(?i)(?:{_PASSWORDS}|[_-]pass)[\"'\])]*[ \t]*(?:=>|:=|[:=])[ \t]*[\"'`]",
        re.compile(
            rf"(?i)(?<![\w-])(?P<name>[\w.-]{{0,60}}?(?:{_PASSWORDS}|[_-]pass))[\"'\])]*[ \t]*"
            rf"(?:=>|:=|[:=])[ \t]*(?P<quote>[\"'`])(?P<value>{_WORD})(?P=quote)"
        ),
        check="word",
    ),
    # const DB_PASSWORD: &str = "...", Password { get; set; } = "...", password = [[...]]
    Notation(
        rf"(?i){_SECRETS}(?:[ \t]*:[ \t]*[\w&<>.?]+|[ \t]*\{{[^{{}}\n]*\}})[ \t]*=[ \t]*[\"'`]",
        re.compile(
            rf"(?i)(?<![\w-])(?P<name>\w{{0,60}}?{_SECRETS})"
            r"(?:[ \t]*:[ \t]*[\w&<>.?' ]{1,40}?|[ \t]*\{[^{}\r\n]{0,60}\})[ \t]*=[ \t]*"
            r"(?P<quote>[\"'`])(?P<value>(?:(?!(?P=quote))[^\r\n\\]){4,80})(?P=quote)"
        ),
        check="secretlike",
    ),
    Notation(
        rf"(?i){_SECRETS}[ \t]*=>?[ \t]*(?:\[\[|q[qw]?[{{(\[/])",
        re.compile(
            rf"(?i)(?<![\w-])(?P<name>\w{{0,60}}?{_SECRETS})[ \t]*=>?[ \t]*(?:\[\[|q[qw]?[{{(\[/])"
            r"(?P<value>[^\r\n\]})/]{4,80})[\]})/]"
        ),
    ),
    # setPassword("..."), withPassword("..."), .password("...")
    Notation(
        rf"(?:set|with|\.|use)_?(?i:\w{{0,20}}{_SECRETS})\([ \t]*[\"'`]",
        re.compile(
            rf"(?:\bset|\bwith|\buse|\.)_?(?P<name>(?i:\w{{0,20}}?{_SECRETS}))\([ \t]*"
            r"(?P<quote>[\"'`])(?P<value>(?:(?!(?P=quote))[^\r\n\\]){4,80})(?P=quote)[ \t]*\)"
        ),
        check="secretlike",
    ),
    # ann@corp.example:...
    Notation(
        r"@[\w-]+(?:\.[\w-]+)+:[^\s/]",
        re.compile(
            r"(?<![\w/])(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)+:(?P<value>[^\s:/\"'<>,;|]{6,64})"
            r"(?=[\s,;|\"']|\Z)"
        ),
        check="secretlike",
    ),
    # try ... as the password; the password? it's ...
    Notation(
        rf"(?i)[ \t]as[ \t]+(?:\w+[ \t]+)?{_PASSWORDS}\b",
        re.compile(
            rf"(?i)\b(?:try|use|enter|with|type|and)[ \t]+{_OPEN}?(?P<value>[^\s\"'`<>,;]{{4,64}}?)"
            rf"{_SHUT}?[ \t]+as[ \t]+(?:(?:the|your|my|a|its)[ \t]+)?(?P<said>{_PASSWORDS})\b"
        ),
        check="secretlike",
    ),
    Notation(
        rf"(?i){_PASSWORDS}\b[^\n]{{0,20}}\b(?:it'?s|it is)[ \t]",
        re.compile(
            rf"(?i)\b(?P<said>{_PASSWORDS})\b[^\r\n]{{0,20}}?\b(?:it'?s|it is)[ \t]+{_OPEN}?"
            r"(?P<value>[^\s\"'`<>,;]{4,64}?)(?=[.!?,]?(?:\s|\Z|[\"'`]))"
        ),
        check="secretlike",
    ),
    # expect "Password:"; send "..."
    Notation(
        r"(?i)pass\w*:?[^\n]{0,10}[\"'][^\n]*\n?\s*send",
        re.compile(
            r"(?i)(?P<said>pass(?:word|phrase))[^\r\n\"']{0,6}[\"'}][^\r\n]{0,20}\r?\n?\s*"
            r"send(?:line)?[ \t(]+(?:--[ \t]+)?[\"'](?P<value>[^\"'\\\r\n]{4,80})"
        ),
    ),
    # AuthLDAPBindPassword ...
    Notation(
        r"[a-z]Pass(?:word|phrase|wd)[ \t]+[\"']?[^\s\"'=:]",
        re.compile(
            r"(?m)^[ \t]*(?P<name>[A-Z]\w{0,60}[a-z]Pass(?:word|phrase|wd))[ \t]+(?P<quote>[\"']?)"
            r"(?P<value>[^\s\"'=:]\S{3,80}?)(?P=quote)[ \t]*(?=[\r\n]|\Z)"
        ),
        check="secretlike",
    ),
    # deploy --password sunflower --force
    Notation(
        r"(?i)\s--?[\w-]*(?:pass(?:w(?:or)?d|phrase)?|pwd)[ \t]",
        re.compile(
            r"(?i)(?<=\s)(?P<said>--?(?:[\w-]*(?:password|passwd|passphrase)|\w*pass|pwd))[ \t]+"
            rf"(?P<quote>[\"']?)(?P<value>{_WORD})(?P=quote)"
            r"(?=[ \t]*(?:\Z|[\r\n|;&>)`\"'])|[ \t]+-{1,2}\w)"
        ),
        check="word",
    ),
    # the password is sunflower
    Notation(
        rf"(?i){_PASSWORDS}\b[^\n]{{0,60}}[ \t](?:is|was|lautet|ist|has been|have been)[ \t]",
        re.compile(
            rf"(?i)\b(?P<said>{_PASSWORDS})\b(?:[ \t]+(?:for|of|on|to)[ \t]+\S+)?[ \t]+"
            r"(?:(?:is|was|lautet|ist)(?:[ \t]+(?:now|set to|reset to|changed to|still|simply))?"
            r"|(?:has been|have been|is|was)[ \t]+(?:re)?(?:set|changed|updated)[ \t]+to)"
            rf"[ \t]*:?[ \t]*{_OPEN}?(?P<value>{_WORD})"
        ),
        check="word",
    ),
    # I reset the password to sunflower
    Notation(
        rf"(?i)(?:set|changed?|updated?)[ \t][^\n]{{0,40}}{_PASSWORDS}\b[^\n]{{0,40}}[ \t]to[ \t]",
        re.compile(
            r"(?i)\b(?:(?:re)?set|change|update)d?[ \t]+"
            r"(?:(?:the|your|my|his|her|its|their)[ \t]+)?"
            rf"(?:\w+[ \t]+)?(?P<said>{_PASSWORDS})(?:[ \t]+(?:for|of|on)[ \t]+\S+)?[ \t]+to[ \t]+"
            rf"(?:be[ \t]+)?{_OPEN}?(?P<value>{_WORD})"
        ),
        check="word",
    ),
    # the password "sunflower", your temporary password: sunflower
    Notation(
        rf"(?i){_PASSWORDS}[ \t]+(?:is[ \t]+)?{_OPEN}",
        re.compile(
            rf"(?i)\b(?P<said>{_PASSWORDS})[ \t]+(?:is[ \t]+)?{_OPEN}(?P<value>{_WORD}){_SHUT}"
        ),
        check="word",
    ),
    Notation(
        rf"(?i)[ \t]{_PASSWORDS}[ \t]*[:=]",
        re.compile(
            r"(?i)\b(?:temporary|temp|initial|default|one[- ]time|new|your|my|admin|root|wi-?fi"
            rf"|login|guest|current|old|ihr|dein)[ \t]+(?P<said>{_PASSWORDS})[ \t]*[:=][ \t]*"
            rf"(?P<value>{_WORD})(?![\w ]*\?)"
        ),
        check="word",
    ),
)
"""The table; of each notation every occurrence counts."""

_INSERT = re.compile(
    r"(?i)\binsert[ \t]+into[ \t]+[\w.`\"\[\]]+[ \t\r\n]*\((?P<columns>[^()]{1,2000})\)\s*values\s*"
    r"(?P<rows>\((?:[^()'\"]|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\")*\)(?:\s*,\s*\((?:[^()'\"]|'(?:[^'\\]|''|\\.)*'"
    r"|\"[^\"]*\")*\))*)"
)
_CELL = re.compile(r"'((?:[^'\\]|''|\\.)*)'|\"([^\"]*)\"|[^,()'\"\s]+")
_ROW = re.compile(r"\((?:[^()'\"]|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\")*\)")
_TABLE = re.compile(r"(?m)(?:^(?:[^\r\n|]*\|[^\r\n]*|[ \t]*[-+=]{3,}[ \t]*)(?:\r?\n|\Z)){2,}")
_RULE = re.compile(r"[\s|:+=-]*")
_SERIALIZED = re.compile(r's:\d+:"([\w.-]{1,80})";s:(\d+):"([^"]*)";')


_OTHERS: tuple[tuple[str, Callable[[FieldValues, str], str]], ...] = (
    (r"(?i)\binsert[ \t]+into[ \t]", lambda values, text: _INSERT.sub(
        lambda found: _redact_insert(values, found), text)),
    (r";s:\d+:\"", lambda values, text: _SERIALIZED.sub(
        lambda found: _redact_serialized(values, found), text)),
    (r"(?i)(?:pass|pwd|secret|token|key|pin|otp|cvv|credential)\w*[ \t]*(?:\|[^\n]*|\r?)\n",
     lambda values, text: _TABLE.sub(lambda found: _table(values, found[0]), text)),
)  # fmt: skip
"""What is taken apart by more than a pattern: what triggers it, and what redacts it."""

_ANCHORS = ("pass", "@", "pwd", "wort", "value", "val:", "variable", "output", "param ", "env",
            "setx ", "${", "insert", "secret", "token", "key", "contrase", "senha", "pin", "otp",
            "cvv", "credential", ";s:", "masterauth")  # fmt: skip


_SHORTEST_TEXT = 12


def _possible_notations(text: str) -> list[int]:
    """Which notations a text may have in it, by their places in both tables."""
    if len(text) < _SHORTEST_TEXT:
        return []
    folded = text.lower()
    for anchor in _ANCHORS:
        if anchor in folded:
            return sorted(_triggers().Match(text.encode("utf-8", "surrogatepass")) or ())
    return []


@cache
def _triggers() -> "re2.Set":
    import re2

    options = re2.Options()
    options.max_mem = 64 << 20
    options.log_errors = False
    made = re2.Set.SearchSet(options)
    for trigger in (*(each.trigger for each in NOTATIONS), *(trigger for trigger, _ in _OTHERS)):
        made.Add(trigger)
    made.Compile()
    return made


def has_notation(text: str) -> bool:
    """Whether a text may have one of these notations in it; cheap."""
    return bool(_possible_notations(text))


def redact_notations(values: FieldValues, text: str) -> str:
    """A text with the values redacted that a notation names.

    Args:
        values: Knows what stands in for a value of a name.
        text: Not yet judged.
    """
    for place in _possible_notations(text):
        if place < len(NOTATIONS):
            notation = NOTATIONS[place]
            text = notation.pattern.sub(_notation_replacer(values, notation.check), text)
        else:
            text = _OTHERS[place - len(NOTATIONS)][1](values, text)
    return text


def _notation_replacer(values: FieldValues, check: str) -> "Callable[[re.Match[str]], str]":
    def replace_notation(found: "re.Match[str]") -> str:
        groups = found.groupdict()
        group = "value" if groups.get("value") is not None else "bare"
        value = groups[group]
        name = (groups.get("name") or "password").rpartition("/")[2]
        fits = (
            is_word_of_prose(value)
            if check == "word"
            else passes_check("set", value) and passes_check(check, value)
        )
        made = values.redact_named_value(name, value) if fits else value
        if made == value:
            return found[0]
        start, end = (place - found.start() for place in found.span(group))
        return found[0][:start] + made + found[0][end:]

    return replace_notation


_SUFFIXES = ("ed", "ing", "able", "ible", "ly", "ive", "ary", "ory", "less", "-sensitive")
_WORDS = """
    a about above accepted access again all also always an and any anything argument as ask at
    authenticate authentication bcrypt be because been before being below between blank bool
    boolean both bound but by cancel case change characters confirm confirmation connect
    continue correct current decrypt default different down due each either empty encrypt
    english enter equal even ever every exactly expire expires falsch false field file fine first
    fixed flag for forgot forgotten found from generate given gone good hash hashes he help her
    here hidden hide his how i identical if ignore in incorrect input instead into invalid is
    it its just keep kept known korrekt label later least leer less like log login logon long
    longer manager mandatory match matches md5 me more most must my name necessary never new
    next nicht no none not nothing now null oauth oauth2 of off ok okay old on once one only
    open option optional options or other our out over parameter plain plaintext policy proceed
    prompt protect public random ready recover regain required reset restore richtig right safe
    same save schema secret secure see sent set setting sha1 sha256 she short shorter should
    show sign similar simple so some something sso stay stdin still stored strength string
    strong stronger sub submit such switch take text than that the their them there they this
    through to token too true two type ui undefined under unique unknown unlock until up update
    use used user username valid value view visible wait was we weak weaker what whatever when
    where which while who whole why will with within without word wrong yes you your yours zu
"""
_WORDS_ABOUT_PASSWORDS = frozenset(_WORDS.split())
"""What is said of passwords."""
_CODE = re.compile(r"[a-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z]+(?:[A-Z][a-z]+)*(?:Password|Field|Input)")


def is_word_of_prose(word: str) -> bool:
    """Whether a word beside the word password is one, and not what is said about passwords.

    >>> (
    ...     is_word_of_prose("sunflower"),
    ...     is_word_of_prose("required"),
    ...     is_word_of_prose("expired"),
    ...     is_word_of_prose("PASSWORD"),
    ... )
    (True, False, False, False)
    """
    plain = word.lower().strip(".!,;:")
    return (
        len(plain) >= _SHORTEST
        and plain not in _WORDS_ABOUT_PASSWORDS
        and not plain.endswith(_SUFFIXES)
        and not word.isupper()
        and not _CODE.fullmatch(word)
        and passes_check("set", word)
    )


_SHORTEST = 4


def _redact_insert(values: FieldValues, found: "re.Match[str]") -> str:
    """A statement of SQL whose values are redacted by their columns."""
    names = [name.strip(" \t\r\n`\"'[]") for name in found["columns"].split(",")]
    rows = _ROW.sub(lambda row: _row(values, names, row[0]), found["rows"])
    return found[0][: found.start("rows") - found.start()] + rows


def _row(values: FieldValues, names: list[str], row: str) -> str:
    cells = list(_CELL.finditer(row))
    if len(cells) != len(names):
        return row
    done, last = [], 0
    for name, cell in zip(names, cells, strict=True):
        group = 1 if cell[1] is not None else 2
        value = cell[group]
        if value:
            start, end = cell.span(group)
            done += [row[last:start], values.redact_named_value(name, value)]
            last = end
    return "".join([*done, row[last:]])


def _table(values: FieldValues, table: str) -> str:
    """Rows of cells between `|`, the first of which names the columns."""
    lines = table.splitlines(keepends=True)
    names: list[str] = []
    made = []
    for line in lines:
        cells = line.split("|")
        if _RULE.fullmatch(line):
            pass
        elif len(cells) != len(names):
            names = [cell.strip() for cell in cells]
        else:
            cells = list(_cells(values, names, cells))
        made.append("|".join(cells))
    return "".join(made)


def _cells(values: FieldValues, names: list[str], cells: list[str]) -> Iterator[str]:
    for name, cell in zip(names, cells, strict=True):
        plain = cell.strip()
        made = (
            values.redact_named_value(name, plain) if passes_check("secretlike", plain) else plain
        )
        yield cell if made == plain else cell.replace(plain, made)


def _redact_serialized(values: FieldValues, found: "re.Match[str]") -> str:
    made = values.redact_named_value(found[1], found[3])
    if made == found[3]:
        return found[0]
    return f'{found[0][: found.start(2) - found.start()]}{len(made.encode())}:"{made}";'


Redact = Callable[[str], str]

_LEAST = 12
_RUN_SIGNS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_MARKS = bytes(
    ord("x") if sign in _RUN_SIGNS else sign if sign == ord("=") else 32 for sign in range(256)
)
_MARKED = re.compile(b"x" * _LEAST + b"x*={0,2}")
_PACKED_CODED = re.compile(r"[^\s\"'<>&?#=;,|\\]*%[0-9A-Fa-f]{2}[^\s\"'<>&?#=;,|\\]*")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}){8,}|(?:[0-9A-F]{2}){8,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TO_STANDARD = str.maketrans("-_", "+/")
_GZIP = b"\x1f\x8b"
_ZLIB = b"\x78"
_LARGEST = 64 * 1024 * 1024
_SAFE = "/:@!$'()*+,-._~"


def has_encoded_runs(text: str) -> bool:
    """Whether something in a text may be opened; cheap."""
    return "%" in text or _MARKED.search(_mark_base64(text)) is not None


def _mark_base64(text: str) -> bytes:
    """A text with an `x` for each sign of base64; each of its signs is one byte."""
    return text.encode("ascii", "replace").translate(_MARKS)


def redact_percent_words(text: str, redact: Redact) -> str:
    """A text whose percent-coded words are redacted inside."""
    if _PERCENT.search(text) is None:
        return text
    return _PACKED_CODED.sub(lambda found: redact_percent_word(found[0], redact), text)


def redact_percent_word(word: str, redact: Redact) -> str:
    """One percent-coded word, redacted inside; as it was where nothing is replaced."""
    try:
        plain = unquote(word, errors="strict")
    except UnicodeDecodeError:
        return word
    made = redact(plain)
    if made == plain:
        return word
    # what was written plainly stays plain, what was coded is coded again
    shown = "".join(sign for sign in _SAFE if sign in _PERCENT.sub("", word))
    return quote(made, safe=shown)


def redact_encoded_runs(text: str, redact: Redact) -> str:
    """A text whose runs of base64 and hex are redacted inside."""
    done, last = [], 0
    for found in _MARKED.finditer(_mark_base64(text)):
        start, end = found.span()
        run = text[start:end]
        if end - start > _LONGEST or _may_open(run):
            done += [text[last:start], _run(run, redact)]
            last = end
    return "".join([*done, text[last:]]) if done else text


_LONGEST = 256
"""Signs; longer runs come once."""


@lru_cache(maxsize=8192)
def _may_open(run: str) -> bool:
    """Whether a run, or a piece of it, may be a text in another coding; most are names and ids."""
    pieces = [run, *(run.split("/") if "/" in run else ())]
    return any(
        _may_be_text(opened[0])
        for piece in pieces
        if len(piece) >= _LEAST
        for opened in (_from_hex(piece), _from_base64(piece))
        if opened is not None
    )


def _may_be_text(content: bytes) -> bool:
    """Whether `redacted_content` may give anything else than None."""
    if content.startswith((_GZIP, _ZLIB)):
        return True
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _may_be_raw(content) and _begins(content)
    return not _CONTROL.search(text)


def _begins(content: bytes) -> bool:
    try:
        zlib.decompressobj(-zlib.MAX_WBITS).decompress(content, _LEAST)
    except zlib.error:
        return False
    return True


def _run(run: str, redact: Redact) -> str:
    made = _redact_packed(run, redact)
    if made is not None or "/" not in run:
        return run if made is None else made
    pieces = run.split("/")  # a path, one segment of which is coded
    return "/".join(
        (_redact_packed(piece, redact) or piece) if len(piece) >= _LEAST else piece
        for piece in pieces
    )


def _redact_packed(run: str, redact: Redact) -> str | None:
    for decode in (_from_hex, _from_base64):
        opened = decode(run)
        if opened is None:
            continue
        content, encode = opened
        made = redact_compressed(content, redact)
        if made is not None:
            return encode(made)
    return None


def redact_compressed(content: bytes, redact: Redact) -> bytes | None:
    """Bytes that are a text, or the gzip of one, redacted; None where nothing is replaced."""
    if content.startswith(_GZIP):
        return _redact_deflated(content, redact, zlib.MAX_WBITS | 16)
    if content[:1] == _ZLIB and int.from_bytes(content[:2]) % 31 == 0:
        made = _redact_deflated(content, redact, zlib.MAX_WBITS)
        if made is not None:
            return made
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _redact_deflated(content, redact, -zlib.MAX_WBITS) if _may_be_raw(content) else None
    if _CONTROL.search(text):
        return None
    made_text = redact(text)
    return None if made_text == text else made_text.encode("utf-8", "surrogatepass")


def _may_be_raw(content: bytes) -> bool:
    """Whether bytes may be deflated without a head: no block of the kind that there is none of."""
    return len(content) <= _LARGEST_RAW and content[0] & 0b110 in {0b010, 0b100}


_LARGEST_RAW = 64 * 1024


def _redact_deflated(content: bytes, redact: Redact, window: int) -> bytes | None:
    opener = zlib.decompressobj(window)
    try:
        plain = opener.decompress(content, _LARGEST)
    except zlib.error:
        return None
    if window < 0 and (not opener.eof or opener.unused_data or len(plain) < _LEAST):
        return None
    made = redact_compressed(plain, redact)
    if made is None:
        return None
    coder = zlib.compressobj(wbits=window)
    return coder.compress(made) + coder.flush()


Encode = Callable[[bytes], str]


def _from_hex(run: str) -> tuple[bytes, Encode] | None:
    if _HEX.fullmatch(run) is None:
        return None

    def encode(content: bytes) -> str:
        return content.hex().upper() if run.isupper() else content.hex()

    return bytes.fromhex(run), encode


def _from_base64(run: str) -> tuple[bytes, Encode] | None:
    bare = run.rstrip("=")
    if len(bare) % 4 == 1:
        return None
    url_safe = "-" in bare or "_" in bare
    if url_safe and ("+" in bare or "/" in bare):
        return None
    signs = b"-_" if url_safe else b"+/"
    try:
        content = binascii.a2b_base64(bare.translate(_TO_STANDARD) + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return None
    padded = run.endswith("=") or len(bare) % 4 == 0

    def encode(redacted: bytes) -> str:
        text = b64encode(redacted, altchars=signs).decode()
        return text if padded else text.rstrip("=")

    return content, encode
