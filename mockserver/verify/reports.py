"""What a verification found as text, JSON, HTML and JUnit."""

from collections.abc import Iterator, Mapping
from typing import Any

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
        "recordings": group.recordings,
        "recorded": example.difference.recorded, "given": example.difference.given,
        "example": {
            "recording": example.recording, "number": example.number, "request": example.request,
            "recorded": example.recorded, "given": example.given,
        },
    }  # fmt: skip


def as_text(agreement: Agreement, worst: int) -> str:
    """Tables by host and method, and the worst groups of differences."""
    lines = [*_table("host", agreement.hosts), "", *_table("method", agreement.methods), ""]
    lines += _table("total", {f"{agreement.recordings} recordings": agreement.total})
    lines += _apart(agreement)
    for number, group in enumerate(agreement.worst(UNSAID, worst), 1):
        lines += ["", *_told(number, group)]
    return "\n".join(lines) + "\n"


_HEADS = ("exchanges", "status", "errors", "all said", "missing", "other", "order", "headers",
          "extra")  # fmt: skip


def _table(name: str, rows: Mapping[str, Counts]) -> Iterator[str]:
    width = max([len(name), *map(len, rows)], default=0)
    yield f"{name:<{width}}" + "".join(f"{each:>12}" for each in _HEADS)
    for key, counts in sorted(rows.items(), key=lambda pair: (-pair[1].exchanges, pair[0])):
        kinds = counts.differences
        cells: list[Any] = [
            counts.exchanges, _share(counts.status, counts.exchanges),
            _share(counts.errors_agree, counts.errors), _share(counts.said, counts.exchanges),
            kinds["missing"], kinds["value"] + kinds["body"], kinds["order"], kinds["header"],
            kinds["extra"],
        ]  # fmt: skip
        yield f"{key:<{width}}" + "".join(f"{each:>12}" for each in cells)


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


def _told(number: int, group: Group) -> Iterator[str]:
    example = group.example
    yield (
        f"{number}. {group.method}: {group.kind} {group.field}: {group.count} times in"
        f" {group.recordings} recordings"
    )
    yield f"   {example.recording} #{example.number}"
    for name, text in (
        ("request", example.request),
        ("recorded", _short(example.difference.recorded)),
        ("given", _short(example.difference.given)),
    ):
        yield f"   {name + ':':<10}{_one_line(text)}"


def _short(value: Any) -> str:
    return "nothing" if value is None else repr(value)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 400 else f"{line[:400]}..."
