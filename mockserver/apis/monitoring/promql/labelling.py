"""Functions that change labels."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import re2

from mockserver.apis.monitoring.promql.errors import PromqlError, execution
from mockserver.apis.monitoring.promql.tracks import with_label
from mockserver.apis.monitoring.promql.vectors import Line, Vector, unique

_LABEL = re.compile(r"[A-Za-z_]\w*$")
_REFERENCE = re.compile(r"\$(?:(\d+)|\{(\d+)\}|(\w+)|\{(\w+)\}|(\$))")


def label_replace(lines: Iterable[Line], names: Sequence[str]) -> Vector:
    """Set a label to what an expression finds in another.

    Args:
        lines: The lines.
        names: The label to set, the replacement with `$1`, the label to look at, the expression.

    Raises:
        PromqlError: A name or the expression is none.
    """
    target, replacement, source, expression = names
    _check(target, "label_replace()")
    try:
        pattern = re2.compile(f"^(?s:{expression})$")
    except re2.error as error:
        text = f"invalid regular expression in label_replace(): {expression}"
        raise PromqlError(text) from error
    found = []
    for line in lines:
        match = pattern.search(dict(line.labels).get(source, ""))
        labels = line.labels
        if match is not None:
            labels = with_label(labels, target, _expanded(replacement, match))
        found.append(Line(labels, line.values))
    return unique(found)


def label_join(lines: Iterable[Line], names: Sequence[str]) -> Vector:
    """Set a label to the values of others, joined.

    Args:
        lines: The lines.
        names: The label to set, the separator, the labels to join.

    Raises:
        PromqlError: A name is none.
    """
    target, separator, *sources = names
    _check(target, "label_join()")
    found = []
    for line in lines:
        values = dict(line.labels)
        joined = separator.join(values.get(source, "") for source in sources)
        found.append(Line(with_label(line.labels, target, joined), line.values))
    return unique(found)


def _check(label: str, where: str) -> None:
    if not _LABEL.match(label):
        raise execution(f'invalid destination label name in {where}: "{label}"')


def _expanded(template: str, match: Any) -> str:
    def value(reference: re.Match[str]) -> str:
        if reference[5]:
            return "$"
        key = reference[1] or reference[2]
        try:
            return str(match.group(int(key) if key else reference[3] or reference[4]) or "")
        except (IndexError, KeyError):
            return ""

    return _REFERENCE.sub(value, template)
