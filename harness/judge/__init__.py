"""Models as judges: asked about a reply, never trusted beyond their own check."""

from harness.judge.labels import Item, LabelledItem, blind_labels, read_labels
from harness.judge.opinions import JudgeClient
from harness.judge.specs import judge_spec

__all__ = [
    "Item",
    "JudgeClient",
    "LabelledItem",
    "blind_labels",
    "judge_spec",
    "read_labels",
]
