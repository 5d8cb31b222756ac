"""What a verification found as text, JSON, HTML and JUnit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

import orjson

from mockserver.model import JsonObject
from mockserver.verify.agreement import Agreement, Counts, Group
from mockserver.verify.comparison import KINDS, UNSAID


def as_json(agreement: Agreement, worst: int) -> JsonObject:
    """All that was found; the groups of differences up to a number."""
    return {
        "recordings": agreement.recordings,
        "agreement": round(agreement.total.agreement, 4),
        "total": _counts(agreement.total),
        "hosts": {name: _counts(each) for name, each in sorted(agreement.hosts.items())},
        "methods": {
            name: {"hosts": sorted(agreement.hosts_of[name]), **_counts(each)}
            for name, each in sorted(agreement.methods.items())
        },
        "differences": [_group(each) for each in agreement.worst(KINDS, worst)],
        "cases": list(agreement.cases),
        "apart": {
            "unreadable": agreement.unreadable,
            "left_out": dict(agreement.left_out.most_common()),
            "unserved_hosts": dict(agreement.unserved.most_common()),
            "bodies_not_json": dict(agreement.other_bodies.most_common()),
        },
    }


def _counts(counts: Counts) -> JsonObject:
    return {
        "exchanges": counts.exchanges,
        "status": counts.status,
        "errors": counts.errors,
        "errors_agree": counts.errors_agree,
        "all_said": counts.said,
        "differences": {kind: counts.differences[kind] for kind in KINDS
                        if counts.differences[kind]},
    }  # fmt: skip


def _group(group: Group) -> JsonObject:
    example = group.example
    return {
        "method": group.method, "kind": group.kind, "field": group.field, "count": group.count,
        "recordings": group.recordings, "cases": list(group.cases),
        "recorded": example.difference.recorded, "given": example.difference.given,
        "example": {
            "recording": example.recording, "number": example.number, "request": example.request,
            "recorded": example.recorded, "given": example.given,
        },
    }  # fmt: skip


def as_text(agreement: Agreement, worst: int) -> str:
    """Tables by host and method, and the worst groups of differences."""
    lines: list[str] = []
    for name, rows in (("host", agreement.hosts), ("method", agreement.methods)):
        lines += [*_table(name, rows), ""] if rows else []
    lines += _table("total", {_number(agreement.recordings, "recording"): agreement.total})
    lines += _apart(agreement)
    if agreement.cases:
        lines.append(f"cases that rest on what differs: {', '.join(agreement.cases)}")
    for number, group in enumerate(agreement.worst(UNSAID, worst), 1):
        lines += ["", *_group_lines(number, group)]
    return "\n".join(lines) + "\n"


_HEADS = ("exchanges", "status", "errors", "all said", "missing", "other", "order", "headers",
          "extra")  # fmt: skip


_CASES = 10
"""Cases that are named with a difference."""

_IN_JUNIT = 20
"""Groups of differences that a failure of JUnit lists."""


def _table(name: str, rows: Mapping[str, Counts]) -> Iterator[str]:
    width = max([len(name), *map(len, rows)], default=0)
    yield f"{name:<{width}}" + "".join(f"{each:>12}" for each in _HEADS)
    for key, counts in _by_number(rows):
        yield f"{key:<{width}}" + "".join(f"{each:>12}" for each in _cells(counts))


def _by_number(rows: Mapping[str, Counts]) -> list[tuple[str, Counts]]:
    return sorted(rows.items(), key=lambda pair: (-pair[1].exchanges, pair[0]))


def _cells(counts: Counts) -> list[int | str]:
    kinds = counts.differences
    return [
        counts.exchanges, _share(counts.status, counts.exchanges),
        _share(counts.errors_agree, counts.errors), _share(counts.said, counts.exchanges),
        kinds["missing"], kinds["value"] + kinds["body"], kinds["order"], kinds["header"],
        kinds["extra"],
    ]  # fmt: skip


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _apart(agreement: Agreement) -> Iterator[str]:
    for title, counted in (
        ("hosts that the mock does not serve", agreement.unserved),
        ("left out of recordings", agreement.left_out),
        ("bodies that are no JSON", agreement.other_bodies),
    ):
        if counted:
            named = ", ".join(f"{name} ({count})" for name, count in counted.most_common(5))
            more = f" and {len(counted) - 5} more" if len(counted) > 5 else ""
            yield f"{title}: {counted.total()}: {named}{more}"
    for name, problem in list(agreement.unreadable.items())[:20]:
        yield f"not read: {name}: {problem}"
    if len(agreement.unreadable) > 20:
        yield f"not read: {len(agreement.unreadable) - 20} more"


def _group_lines(number: int, group: Group) -> Iterator[str]:
    example = group.example
    yield (
        f"{number}. {group.method}: {group.kind} {group.field}: {_number(group.count, 'time')} in"
        f" {_number(group.recordings, 'recording')}"
    )
    yield f"   {example.recording} #{example.number}"
    for name, text in (
        ("request", example.request),
        ("recorded", _short(example.difference.recorded)),
        ("given", _short(example.difference.given)),
    ):
        yield f"   {name + ':':<10}{_one_line(text)}"
    if group.cases:
        yield f"   cases:    {_case_names(group.cases)}"


def _case_names(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _CASES} more" if len(cases) > _CASES else ""
    return f"{', '.join(cases[:_CASES])}{more}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _short(value: Any) -> str:
    return "nothing" if value is None else repr(value)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 400 else f"{line[:400]}..."


_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 0 0 2rem }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8884 }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere }
summary { cursor: pointer; padding: .3rem 0; overflow-wrap: anywhere }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem }
pre { background: #8881; padding: .6rem; overflow: auto; max-height: 30rem; white-space: pre-wrap;
  overflow-wrap: anywhere; margin: .3rem 0 }
mark { background: #fc08; color: inherit }
:root { color-scheme: light dark }
"""


def as_html(agreement: Agreement, worst: int) -> str:
    """A page with the tables, and the worst differences with both answers side by side."""
    total, many = agreement.total, agreement.recordings
    share, status = (_share(each, total.exchanges) for each in (total.said, total.status))
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta name=viewport content='width=device-width'>",
        f"<title>{share} of {total.exchanges} exchanges agree</title><style>{_STYLE}</style>",
        f"<h1>{share} of {total.exchanges} recorded exchanges are answered alike</h1>",
        f"<p>{_number(many, 'recording')}. The status agrees in {status}.",
        *(f"<p>{escape(line)}" for line in _apart(agreement)),
        *_html_table("Host", agreement.hosts),
        *_html_table("Method", agreement.methods),
        "<h2>Differences, the most frequent first</h2>",
        *(_html_group(each) for each in agreement.worst(UNSAID, worst)),
    ]
    return "\n".join(parts) + "\n"


def _html_table(name: str, rows: Mapping[str, Counts]) -> Iterator[str]:
    yield f"<table><tr><th>{name}</th>" + "".join(f"<th>{each}</th>" for each in _HEADS) + "</tr>"
    for key, counts in _by_number(rows):
        cells = "".join(f"<td>{each}</td>" for each in _cells(counts))
        yield f"<tr><td>{escape(key)}</td>{cells}</tr>"
    yield "</table>"


def _html_group(group: Group) -> str:
    example = group.example
    told = f"{group.method}: {group.kind} {group.field}"
    sides = "".join(
        f"<div><b>{name}</b><p><mark>{escape(_short(value))}</mark><pre>{escape(text)}</pre></div>"
        for name, value, text in (
            ("recorded", example.difference.recorded, _indented(example.recorded)),
            ("given", example.difference.given, _indented(example.given)),
        )
    )
    return (
        f"<details><summary>{escape(told)} <b>{_number(group.count, 'time')}</b> in"
        f" {_number(group.recordings, 'recording')}</summary>"
        f"<p>{escape(example.recording)}, exchange {example.number}"
        f"{'; cases: ' + escape(_case_names(group.cases)) if group.cases else ''}"
        f"<pre>{escape(example.request)}</pre><div class=sides>{sides}</div></details>"
    )


def _indented(answer: str) -> str:
    status, _, body = answer.partition("\n")
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return answer
    return f"{status}\n{orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()}"


def as_junit(agreement: Agreement, least: float) -> str:
    """JUnit XML: a suite for each host, a test for each method; it fails below an agreement.

    Args:
        agreement: What was found.
        least: The share of a method's exchanges in which everything must be said.
    """
    root = ElementTree.Element("testsuites", name="understudy verify")
    groups: dict[str, list[Group]] = {}
    for each in agreement.worst(UNSAID, len(agreement.groups)):
        groups.setdefault(each.method, []).append(each)
    suites: dict[str, list[str]] = {}
    for method in agreement.methods:
        suites.setdefault(min(agreement.hosts_of[method]), []).append(method)
    for host, methods in sorted(suites.items()):
        failing = [each for each in methods if agreement.methods[each].agreement < least]
        suite = ElementTree.SubElement(
            root, "testsuite", name=_xml(host), tests=str(len(methods)), failures=str(len(failing))
        )
        for method in sorted(methods):
            counts = agreement.methods[method]
            test = ElementTree.SubElement(
                suite, "testcase", classname=_xml(host), name=_xml(method)
            )
            if counts.agreement < least:
                told = f"{counts.said} of {counts.exchanges} exchanges agree"
                failure = ElementTree.SubElement(test, "failure", message=told)
                failure.text = "\n".join(_xml(line) for line in _lines(groups.get(method, ())))
    unreadable = ElementTree.SubElement(
        root, "testsuite", name="recordings", tests=str(len(agreement.unreadable)),
        errors=str(len(agreement.unreadable)),
    )  # fmt: skip
    for name, problem in agreement.unreadable.items():
        test = ElementTree.SubElement(
            unreadable, "testcase", classname="recording", name=_xml(name)
        )
        ElementTree.SubElement(test, "error", message=_xml(problem))
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(root, 'unicode')}\n"


def _lines(groups: Iterable[Group]) -> Iterator[str]:
    for number, group in enumerate(groups, 1):
        if number > _IN_JUNIT:
            return
        yield from _group_lines(number, group)


def _xml(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NOT_XML.sub(lambda hit: f"\\x{ord(hit[0]):02x}", text)
