"""Values that the notation of a tool names: pairs of YAML, HCL, SQL, tables, sentences."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mockserver.redaction.broken import Naming
from mockserver.redaction.checks import passes

if TYPE_CHECKING:
    import re2

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


_OTHERS: tuple[tuple[str, Callable[[Naming, str], str]], ...] = (
    (r"(?i)\binsert[ \t]+into[ \t]", lambda naming, text: _INSERT.sub(
        lambda found: _inserted(naming, found), text)),
    (r";s:\d+:\"", lambda naming, text: _SERIALIZED.sub(
        lambda found: _serialized(naming, found), text)),
    (r"(?i)(?:pass|pwd|secret|token|key|pin|otp|cvv|credential)\w*[ \t]*(?:\|[^\n]*|\r?)\n",
     lambda naming, text: _TABLE.sub(lambda found: _table(naming, found[0]), text)),
)  # fmt: skip
"""What is taken apart by more than a pattern: what triggers it, and what redacts it."""

_ANCHORS = ("pass", "@", "pwd", "wort", "value", "val:", "variable", "output", "param ", "env",
            "setx ", "${", "insert", "secret", "token", "key", "contrase", "senha", "pin", "otp",
            "cvv", "credential", ";s:", "masterauth")  # fmt: skip


_SHORTEST_TEXT = 12


def _triggered(text: str) -> list[int]:
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


def may_be_written(text: str) -> bool:
    """Whether a text may have one of these notations in it; cheap."""
    return bool(_triggered(text))


def written(naming: Naming, text: str) -> str:
    """A text with the values redacted that a notation names.

    Args:
        naming: Knows what stands in for a value of a name.
        text: Not yet judged.
    """
    for place in _triggered(text):
        if place < len(NOTATIONS):
            notation = NOTATIONS[place]
            text = notation.pattern.sub(_replacing(naming, notation.check), text)
        else:
            text = _OTHERS[place - len(NOTATIONS)][1](naming, text)
    return text


def _replacing(naming: Naming, check: str) -> "Callable[[re.Match[str]], str]":
    def replaced(found: "re.Match[str]") -> str:
        groups = found.groupdict()
        group = "value" if groups.get("value") is not None else "bare"
        value = groups[group]
        name = _last(groups.get("name") or "password")
        fits = is_told(value) if check == "word" else passes("set", value) and passes(check, value)
        made = naming.by_name(name, value) if fits else value
        if made == value:
            return found[0]
        start, end = (place - found.start() for place in found.span(group))
        return found[0][:start] + made + found[0][end:]

    return replaced


def _last(name: str) -> str:
    return name.rpartition("/")[2]


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
_SAID = frozenset(_WORDS.split())
"""What is said of passwords."""
_CODE = re.compile(r"[a-z_]\w*(?:\.[A-Za-z_]\w*)+|[a-z]+(?:[A-Z][a-z]+)*(?:Password|Field|Input)")


def is_told(word: str) -> bool:
    """Whether a word beside the word password is one, and not what is said about passwords.

    >>> is_told("sunflower"), is_told("required"), is_told("expired"), is_told("PASSWORD")
    (True, False, False, False)
    """
    plain = word.lower().strip(".!,;:")
    return (
        len(plain) >= _SHORTEST
        and plain not in _SAID
        and not plain.endswith(_SUFFIXES)
        and not word.isupper()
        and not _CODE.fullmatch(word)
        and passes("set", word)
    )


_SHORTEST = 4


def _inserted(naming: Naming, found: "re.Match[str]") -> str:
    """A statement of SQL whose values are redacted by their columns."""
    names = [name.strip(" \t\r\n`\"'[]") for name in found["columns"].split(",")]
    rows = _ROW.sub(lambda row: _row(naming, names, row[0]), found["rows"])
    start, end = (place - found.start() for place in found.span("rows"))
    return found[0][:start] + rows + found[0][end:]


def _row(naming: Naming, names: list[str], row: str) -> str:
    cells = list(_CELL.finditer(row))
    if len(cells) != len(names):
        return row
    done, last = [], 0
    for name, cell in zip(names, cells, strict=True):
        group = 1 if cell[1] is not None else 2
        value = cell[group]
        if value:
            start, end = cell.span(group)
            done += [row[last:start], naming.by_name(name, value)]
            last = end
    return "".join([*done, row[last:]])


def _table(naming: Naming, table: str) -> str:
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
            cells = list(_cells(naming, names, cells))
        made.append("|".join(cells))
    return "".join(made)


def _cells(naming: Naming, names: list[str], cells: list[str]) -> Iterator[str]:
    for name, cell in zip(names, cells, strict=True):
        plain = cell.strip()
        made = naming.by_name(name, plain) if passes("secretlike", plain) else plain
        yield cell if made == plain else cell.replace(plain, made)


def _serialized(naming: Naming, found: "re.Match[str]") -> str:
    made = naming.by_name(found[1], found[3])
    if made == found[3]:
        return found[0]
    return f'{found[0][: found.start(2) - found.start()]}{len(made.encode())}:"{made}";'
