"""Labels that people give without knowing what the judge said: a table to fill in, read back."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from harness.errors import CaseProblem, InvalidCasesError
from harness.model import Judge, Reply

COLUMNS = (
    "item", "run", "case", "trial", "question", "criteria", "reference", "prompt", "answer",
    "label", "note",
)  # fmt: skip
"""No verdict, no status, no score: who labels is not to be led."""

_LABELS = {"pass": True, "fail": False}
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Item:
    """One reply that is to be labelled.

    Attributes:
        item: Its id.
        run: The run.
        case: The case.
        trial: The trial's number.
        question: What is asked of it.
        replies: What was said.
    """

    item: str
    run: str
    case: str
    trial: int
    question: Judge
    replies: tuple[Reply, ...]


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """What a person says of an item: whether the reply is to be accepted."""

    item: str
    run: str
    accepted: bool


def blind_labels(items: Iterable[Item]) -> str:
    """A CSV table with an empty column `label`, in the order of the ids, which tells nothing."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for each in sorted(items, key=lambda each: each.item):
        question = each.question
        writer.writerow(
            [
                each.item,
                each.run,
                each.case,
                each.trial,
                _plain(question.question),
                _plain("\n".join(question.criteria)),
                _plain(question.reference),
                _plain("\n\n".join(reply.prompt for reply in each.replies)),
                _plain("\n\n".join(reply.text for reply in each.replies)),
                "",
                "",
            ]
        )
    return out.getvalue()


def read_labels(text: str, where: str) -> tuple[LabelledItem, ...]:
    """The rows whose `label` is filled in, `pass` or `fail`.

    Args:
        text: The CSV table.
        where: The file, for messages.

    Raises:
        InvalidCasesError: It is no such table, a label is something else, or an item is told twice.
    """
    reader = csv.DictReader(io.StringIO(text))
    lacking = [name for name in ("item", "run", "label") if name not in (reader.fieldnames or ())]
    if lacking:
        hint = "fill in the table that understudy runs judge labels wrote"
        raise InvalidCasesError([CaseProblem(where, f"there is no column {lacking[0]!r}", hint)])
    found: dict[str, LabelledItem] = {}
    problems = []
    for row in reader:
        label = (row["label"] or "").strip().casefold()
        if not label:
            continue
        place = f"{where}:{reader.line_num}"
        if label not in _LABELS:
            problems.append(CaseProblem(place, f"label {label!r} is neither pass nor fail"))
        elif row["item"] in found:
            problems.append(CaseProblem(place, f"item {row['item']!r} is labelled twice"))
        else:
            found[row["item"]] = LabelledItem(row["item"], row["run"], _LABELS[label])
    if problems:
        raise InvalidCasesError(problems)
    return tuple(found.values())


def _plain(text: str) -> str:
    """A cell that a spreadsheet does not take for a formula, without what cannot be written."""
    safe = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "")
    return f"'{safe}" if safe.startswith(_FORMULA) else safe
