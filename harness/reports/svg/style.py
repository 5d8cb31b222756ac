"""The colours of charts: the same names as in the pages that hold them, light and dark."""

_LIGHT = (
    "--ink:#1d2330;--soft:#5b6475;--line:#d9dee7;--paper:#fff;"
    "--good:#1a7f4b;--bad:#c4314b;--warn:#9a6700;--accent:#2f62c9;--second:#8a5cd1"
)
_DARK = (
    "--ink:#e6e9ef;--soft:#9aa4b5;--line:#323a49;--paper:#12161d;"
    "--good:#4cc38a;--bad:#ff7b8e;--warn:#e3b341;--accent:#7aa7ff;--second:#b79aff"
)
COLOURS = f":root{{{_LIGHT}}}@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
STYLE = (
    ".chart text{font:12px system-ui,sans-serif;fill:var(--ink)}"
    ".chart .soft{fill:var(--soft)}.chart .end{text-anchor:end}.chart .mid{text-anchor:middle}"
    ".chart .grid{stroke:var(--line);stroke-width:1}"
    ".chart .range{stroke:var(--soft);stroke-width:2;stroke-linecap:round}"
    ".chart .good{fill:var(--good)}.chart .bad{fill:var(--bad)}.chart .warn{fill:var(--warn)}"
    ".chart .none{fill:none;stroke:var(--soft);stroke-width:1.5}"
    ".chart .first{fill:var(--accent)}.chart .second{fill:var(--second)}"
)


def standalone(chart: str) -> str:
    """A chart as a file of its own, with its colours."""
    head, end, rest = chart.partition(">")
    return f"{head}{end}<style>{COLOURS}{STYLE}.chart{{background:var(--paper)}}</style>{rest}\n"
