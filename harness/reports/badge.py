"""A badge: what a run came to in a few words, as SVG and for shields.io."""

import html

import orjson

from harness.model import RunResult
from harness.reports.figures import is_synthetic

LABEL = "agent"
_WIDE = 6.6
_COLOURS = {"good": "#2f7d32", "fair": "#946200", "bad": "#b3261e", "none": "#5f6368"}
_NAMES = {"good": "brightgreen", "fair": "yellow", "bad": "red", "none": "lightgrey"}
_FAIR = 0.8
"""Share of cases from which on a run that did not pass whole is no bad one."""


def badge_svg(result: RunResult) -> str:
    """The badge as SVG: the label, and how many of the cases passed."""
    message, kind = _message(result)
    left, right = (round(len(text) * _WIDE) + 12 for text in (LABEL, message))
    said = html.escape(f"{LABEL}: {message}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img"'
        f' aria-label="{said}"><title>{said}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#3c4043"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[kind]}"/></g>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif"'
        ' font-size="11">'
        f'<text x="{left / 2:g}" y="14">{html.escape(LABEL)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{html.escape(message)}</text></g></svg>\n'
    )


def badge_json(result: RunResult) -> str:
    """The badge as shields.io reads it from an address: https://shields.io/badges/endpoint-badge."""
    message, kind = _message(result)
    held = {"schemaVersion": 1, "label": LABEL, "message": message, "color": _NAMES[kind]}
    return orjson.dumps(held).decode() + "\n"


def _message(result: RunResult) -> tuple[str, str]:
    """What it says, and how good that is; a run that is not decided is never green."""
    passed = sum(each.verdict == "passed" for each in result.decisions)
    decided = sum(each.verdict in {"passed", "failed", "flaky"} for each in result.decisions)
    if is_synthetic(result) or not decided:
        return "no verdict", "none"
    total = len(result.decisions)
    said = f"{passed}/{total} passed"
    if result.comparison is not None and result.comparison.verdict == "regressed":
        return f"{said}, regressed", "bad"
    if result.interrupted or decided < total:
        return said, "fair" if passed else "bad"
    if passed == total:
        return said, "good"
    return said, "fair" if passed >= _FAIR * total else "bad"
