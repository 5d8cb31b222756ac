"""Spoils files, repeatably: their structure, their lines, their bytes."""

import copy
import gzip
import json
import random
import re
from collections.abc import Callable
from typing import Any

import yaml

LARGEST = 4 * 1024 * 1024
"""Bytes: what is mutated several times over must stay a file that somebody might have."""
_DEEP = (40, 300, 3_000, 60_000)
_LONG = 120_000
_SHORT = 2_000
_DATES = (
    "0000-00-00T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59.999999999Z",
    "9999-12-31T23:59:59-14:00",
    "2026-02-30T00:00:00Z",
    "2026-11-20T09:00:00",
    "2026-11-20T25:61:61Z",
    "٢٠٢٦-11-20T09:00:00Z",
    "Fri, 99 Nov 99999 09:00:00 GMT",
    "frozen:0001-01-01T00:00:00+14:00",
    "frozen:9999-12-31T23:59:59-14:00",
    "frozen:",
)
_TEXTS = (
    "",
    " ",
    "\0",
    "a\0b",
    "é\u202e\u2028\ufeff",
    "\ud800",
    "x" * 300,
    "../" * 12 + "etc/hosts",
    "/etc/hosts",
    "~",
    ".",
    "..",
    "a/b",
    "a/" * 3_000,
    "EC-001",
    "-1",
    "1e999",
    "٣",
    "²",
    "9" * 5_000,
    "(?",
    "(a+)+$",
    "[",
    "*" * 60,
    "a*" * 40,
    "\\",
    "$ref",
    "#/a",
    "{{x}}",
    "{{}}",
    "%zz",
    "%ff%fe",
    "=?utf-8?b?!!?=",
    "http://[",
    "http://a:99999999/",
    "http://a:b/",
    "http://\u2100/",
    "//",
    "data:;base64,!!!",
    "a=",
    "=",
    "ab=cd",
    "Aé==",
    "python:os:system",
    "python:no.such.module:x",
    "<script>",
    "\x1b[2J",
    "\r\n",
    "gzip",
    "br",
    "deflate",
    "text/html; charset=nonsense",
    "multipart/form-data; boundary=",
    "/users/0/x~2y",
    "/-",
    "/99999999999999999999",
    "/٣",
    "move",
    "copy",
    "test",
)
_NUMBERS = (
    0, -1, 1, 2, 99, 0.1, -0.0, 1.5, 1e308, 5e-324, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64,
    -(2**63) - 1, 10**30, 10**400,
)  # fmt: skip
_RAW_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000)
_YAML_VALUES = (
    "&a [*a]",
    "&a {b: *a}",
    "*undefined",
    "{<<: *undefined}",
    "{<<: [1, 2]}",
    "{<<: 3}",
    "{<<: &m {k: *m}}",
    "!!python/object/apply:os.getcwd []",
    "!!python/name:os.system",
    "!!python/tuple [1, 2]",
    "!!python/object/new:_io.BytesIO {state: [!!binary 'aGk=', 0, null]}",
    "!!python/object/new:_io.BytesIO {state: [1]}",
    "!!python/object/apply:builtins.iter {args: [[a, !!binary aGk=]]}",
    "!!binary '****'",
    "!!binary 'aGk='",
    "!!binary é",
    "!!binary {a: b}",
    "!binary '*'",
    "!!timestamp x",
    "!!timestamp 2026-99-99",
    "!!timestamp 0000-00-00",
    "2026-13-45T00:00:00Z",
    "2026-13-45",
    "0001-01-01T00:00:00+14:00",
    "!!int x",
    "!!int ''",
    "!!int [1]",
    "!!float abc",
    "!!float ''",
    "!!bool maybe",
    "!!null x",
    "!!set {a, b}",
    "!!set [a]",
    "!!omap [a]",
    "!!omap [{a: 1, b: 2}]",
    "!!pairs {a: 1}",
    "!!map [1]",
    "!!map x",
    "!!seq {a: 1}",
    "!!str {a: 1}",
    "!foo bar",
    "{[a, b]: c}",
    "{{a: b}: c}",
    "{1: a, true: b, null: c, 1.5: d, .nan: e}",
    "{2026-01-01: a}",
    "0x_",
    "0b",
    "0o9",
    "1_0__0",
    "190:20:30",
    "99999999999999:59:59.9",
    ".inf",
    "-.inf",
    ".nan",
    "=",
    "<<",
    "{=: 1}",
    "'\\x00'",
    '"\\x00"',
    '"\\ud800"',
    '"\\UFFFFFFFF"',
    '"\\xZZ"',
    "[&a [x,x,x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b,*b,*b],"
    " &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d],"
    " &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e], &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]]",
    "[&z x" + ", *z" * 20_000 + "]",
)
_BAD_BYTES = (b"\0", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80")
_TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[\w./-]+")
_STRUCTURED = {".json": "json", ".har": "json", ".yaml": "yaml", ".yml": "yaml"}


class Mutator:
    """Spoils the content of files; the same numbers give the same inputs.

    Args:
        rng: Where its choices come from.
    """

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._raw: list[str] = []

    def spoiled(self, name: str, content: bytes, others: list[bytes]) -> bytes:
        """A file's content with something wrong in it, or several things; at most `LARGEST` bytes.

        Args:
            name: The file, whose suffix says how it is written.
            content: What it holds.
            others: What other files hold, to be spliced with it.
        """
        return self._some(name, content, others)[:LARGEST]

    def _some(self, name: str, content: bytes, others: list[bytes]) -> bytes:
        kind = _STRUCTURED.get(name[name.rfind(".") :], "text")
        way = self._rng.random()
        if kind != "text" and way < 0.65:
            spoiled = self._structure(content, kind)
            if spoiled is not None:
                return spoiled
        if way < 0.85:
            return self._lines(content, kind)
        return self._bytes(content, others)

    def _structure(self, content: bytes, kind: str) -> bytes | None:
        value = _parsed(content, kind)
        if not isinstance(value, dict | list):
            return None
        self._raw.clear()
        root = [copy.deepcopy(value)]
        for _ in range(self._rng.choice((1, 1, 1, 2, 3))):
            container, key = self._place(root)
            if self._rng.random() < 0.6:
                container[key] = self._hostile(container[key], kind)
            else:
                self._moved(container, key)
        return self._written(root[0], kind)

    def _place(self, root: list[Any]) -> tuple[Any, Any]:
        """A container and the key of one of its members, on any depth with like chance."""
        container: Any = root
        key: Any = 0
        while isinstance(container[key], dict | list) and container[key]:
            if self._rng.random() < 0.12:
                break
            container = container[key]
            keys = list(container) if isinstance(container, dict) else range(len(container))
            key = self._rng.choice(keys)
        return container, key

    def _hostile(self, value: Any, kind: str) -> Any:
        """Something else in the place of a value."""
        rng = self._rng
        ways: list[Callable[[], Any]] = [
            lambda: rng.choice((None, True, False, [], {}, "", 0)),
            lambda: rng.choice(_NUMBERS),
            lambda: self._as_written(rng.choice(_RAW_NUMBERS)),
            lambda: rng.choice(_TEXTS),
            lambda: rng.choice(_DATES),
            lambda: [value],
            lambda: {"x": value},
            lambda: [value] * (300 if len(str(value)) < _SHORT else 2),
            lambda: str(value),
            lambda: rng.choice(("x", "é", "[", "%", "a,")) * (_LONG // 2),
            lambda: {rng.choice(_TEXTS): value} | dict.fromkeys(map(str, range(50)), value),
            lambda: self._as_written(rng.choice(("[", '{"a":', "[[],")) * rng.choice(_DEEP)),
            self._deep,
            lambda: self._as_written("{" + ",".join(['"k": 1'] * rng.choice((2, 20_000))) + "}"),
        ]  # fmt: skip
        if kind == "yaml":
            ways += [lambda: self._as_written(rng.choice(_YAML_VALUES))] * 4
        return rng.choice(ways)()

    def _deep(self) -> Any:
        depth = self._rng.choice(_DEEP)
        left, right = self._rng.choice((("[", "]"), ('{"a":', "}")))
        return self._as_written(left * depth + "1" + right * depth)

    def _moved(self, container: Any, key: Any) -> None:
        """A member removed, renamed, doubled or put elsewhere."""
        rng = self._rng
        if isinstance(container, list):
            way = rng.randrange(3)
            if way == 0:
                del container[key]
            elif way == 1:
                container.insert(rng.randrange(len(container) + 1), container[key])
            else:
                rng.shuffle(container)
            container.append(None) if not container else None
            return
        value = container.pop(key)
        way = rng.randrange(4)
        if way == 0:
            container[rng.choice(_TEXTS)] = value
        elif way == 1:
            container[str(key) + rng.choice(("x", " ", "\0", "é"))] = value
        elif way == 2:
            other = rng.choice(list(container)) if container else str(key)
            container[key], container[other] = container.get(other), value
        elif rng.random() < 0.3:
            doubled = self._as_written(f"{json.dumps(str(key))}: 1, {json.dumps(str(key))}")
            container[doubled] = value

    def _as_written(self, text: str) -> str:
        """A stand-in for text that is put into the file as it is, without quotes."""
        self._raw.append(text)
        return f"@raw{len(self._raw) - 1}@"

    def _written(self, value: Any, kind: str) -> bytes:
        if kind == "yaml" and self._rng.random() < 0.5:
            try:
                text = yaml.dump(value, Dumper=yaml.CSafeDumper, allow_unicode=True, width=10**6)
            except (yaml.YAMLError, ValueError):  # what YAML cannot say
                text = json.dumps(value, default=str)
        else:
            text = json.dumps(value, default=str, ensure_ascii=self._rng.random() < 0.7)
        for number, raw in enumerate(self._raw):
            stand_in = f"@raw{number}@"
            for quoted in (f'"{stand_in}"', f"'{stand_in}'", stand_in):
                text = text.replace(quoted, raw, LARGEST // len(raw) + 1)
        return text.encode("utf-8", "surrogatepass")

    def _lines(self, content: bytes, kind: str) -> bytes:
        rng = self._rng
        lines = content.decode("utf-8", "replace").split("\n")
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(lines))
            way = rng.randrange(6)
            if way == 0 and len(lines) > 1:
                del lines[at]
            elif way == 1:
                lines.insert(at, rng.choice(lines))
            elif way == 2:
                lines[at] = rng.choice(("  ", "\t", "- ", "# ", "? ", "| ", "> ")) + lines[at]
            elif way == 3:
                lines[at] = lines[at].lstrip()
            else:
                lines[at] = self._token_replaced(lines[at], kind)
        return "\n".join(lines).encode("utf-8", "surrogatepass")

    def _token_replaced(self, line: str, kind: str) -> str:
        found = list(_TOKEN.finditer(line))
        if not found:
            return line + self._rng.choice(_TEXTS)
        token = self._rng.choice(found)
        some = [*_TEXTS, *_DATES, *_RAW_NUMBERS, *map(_digits, _NUMBERS)]
        some += list(_YAML_VALUES) if kind == "yaml" else ["null", "[]", "{}", "true"]
        return line[: token.start()] + self._rng.choice(some) + line[token.end() :]

    def _bytes(self, content: bytes, others: list[bytes]) -> bytes:
        rng = self._rng
        at = rng.randrange(len(content) + 1)
        to = min(len(content), at + rng.choice((1, 2, 8, 64, 1024)))
        other = rng.choice(others) if others else b""
        bit = bytes([content[at] ^ (1 << rng.randrange(8))]) if at < len(content) else b"\xff"
        return rng.choice(
            (
                content[:at] + bit + content[at + 1 :],
                content[:at],
                content[at:],
                content[:at] + content[to:],
                content[:at] + rng.randbytes(rng.choice((1, 4, 64))) + content[at:],
                content[:at] + content[at:to] * rng.choice((2, 50)) + content[to:],
                content[:at] + other[rng.randrange(len(other) + 1) :],
                other,
                b"\xef\xbb\xbf" + content,
                content.replace(b"\n", b"\r\n"),
                content.replace(b"\n", b"\r"),
                content.decode("utf-8", "replace").encode("utf-16"),
                content.decode("utf-8", "replace").encode("utf-32-be"),
                content[:at] + rng.choice(_BAD_BYTES) + content[at:],
                gzip.compress(content, mtime=0),
                b"",
                b"\n \t\n",
                content + content,
                b"\0" * 4096,
            )
        )  # fmt: skip


def _digits(value: float) -> str:
    return str(value) if abs(value) < 10**300 else "1" + "0" * 400


def _parsed(content: bytes, kind: str) -> Any:
    try:
        if kind == "json":
            return json.loads(content)
        return yaml.load(content, Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, ValueError):
        return None
