"""Models as judges: asked about a reply, never trusted beyond their own check."""

from harness.judge.labels import Item, Labelled, blind_labels, read_labels
from harness.judge.opinions import Judging
from harness.judge.specs import JudgeSpec, judge_spec

__all__ = [
    "Item",
    "JudgeSpec",
    "Judging",
    "Labelled",
    "blind_labels",
    "judge_spec",
    "read_labels",
]
