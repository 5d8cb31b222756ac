"""A coding agent that works in its folder by rules alone: no model, no key.

`python -m harness.demo.coding` reads a task from stdin, reads, searches, writes and runs what is in
the current folder, and answers with one JSON object. It knows nothing of the mock server and
nothing of the harness.
"""

from harness.demo.coding.flaws import FLAWS, NO_FLAWS, CodingFlaws
from harness.demo.coding.toolbox import Toolbox, ToolFailedError
from harness.demo.coding.work import Outcome, work_on

__all__ = [
    "FLAWS",
    "NO_FLAWS",
    "CodingFlaws",
    "Outcome",
    "ToolFailedError",
    "Toolbox",
    "work_on",
]
