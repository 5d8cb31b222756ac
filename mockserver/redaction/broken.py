"""Texts that only look like JSON or XML: broken off, in a log, in a script."""

import json
import re

from mockserver.redaction.judging import Judge
from mockserver.redaction.targets import rule_of

_PAIR = re.compile(
    r'(\\*"((?:[^"\\\n]|\\[^"\n]){1,80})\\*"\s*:\s*\\*")((?:[^"\\]|\\.)*?)(\\*"|\Z)', re.DOTALL
)
_TAG = re.compile(r"(<([\w:.-]{1,80})(?:\s[^<>]*)?>)([^<>]+)(</\2\s*>)")


def broken_json(judge: Judge, text: str) -> str:
    """A text with the values of quoted pairs redacted by their names."""
    return _PAIR.sub(lambda found: _pair(judge, found), text)


def tagged(judge: Judge, text: str) -> str:
    """A text with the contents of XML elements redacted by their names."""

    def element(found: "re.Match[str]") -> str:
        made = _by_name(judge, found[2].rpartition(":")[2], found[3])
        return found[1] + made + found[4]

    return _TAG.sub(element, text)


def _pair(judge: Judge, found: "re.Match[str]") -> str:
    made = _by_name(judge, found[2], _plain(found[3]))
    if made == _plain(found[3]):
        return found[0]
    return found[1] + json.dumps(made)[1:-1] + found[4]


def _by_name(judge: Judge, name: str, value: str) -> str:
    rule = rule_of(judge, name, value)
    return judge.value(rule, value) if rule is not None else value


def _plain(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text
