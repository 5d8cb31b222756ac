"""Random scorings, held against the scorer of the coding format's first project.

Its scorer looks for texts letter case aside and as they are, blanks included; a regular expression
likewise; an answer passes with every pattern, and scores their share. Without patterns more than
ten characters pass. Files match letter case aside. A score that fell by more than 0.1 degrades.
"""

import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.cases import read_suite
from harness.checks import check
from harness.model import Case, WorkspaceFile
from harness.verdicts.decisions import score_of
from tests.harness.records import record, reply
from tests.seeds.rows import Row

SCORINGS = 10_000

SAID_NOTHING = "an empty answer has the same score, but never passes for what it does not say"
BLANKS = "blanks around a written text are not part of it, and an answer of blanks is no answer"
FOLDED = "letters whose upper case is another letter (\u00df, SS) are the same letter"

_WORDS = ("def", "Return", "ERROR", "todo", "a + b", "naïve", "Straße", "x", "", "  ", "file_read")
_PREFIXES = ("", "contains:", "not_contains:", "regex:")
_REGEXES = (r"err\w+", r"^def", r"a \+ b", r"to.?do", r"\bx\b", r"return$", r"[a-f]{3}", r"(?:x|y)")


def rows() -> Iterator[Row]:
    """10,000 random scorings."""
    yield from compared(SCORINGS)


def compared(scorings: int) -> Iterator[Row]:
    """Random answers against random patterns, files against texts, falls of a score."""
    draw = random.Random(11)
    differ: Counter[str] = Counter()
    files: Counter[str] = Counter()
    # patterns that contradict each other are an error of the suite, told by lint: more are drawn
    batch = [_task(number, draw) for number in range(scorings // 5)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "suite.json"
        path.write_text(json.dumps({"name": "s", "tasks": batch}), "utf-8")
        cases = {case.id: case for case in read_suite(path).cases}
    sound = [task for task in batch if task["id"] in cases][: scorings // 10]
    for task in sound:
        case = cases[task["id"]]
        for _ in range(10):
            output, content = _output(draw), _output(draw)
            told = _difference(task, case, output)
            differ[told] += 1
            files[_of_files(task, case, content)] += 1
    for what, found in (("answers", differ), ("files", files)):
        unnamed = sum(times for told, times in found.items() if told.startswith("UNNAMED"))
        notes = tuple(f"{times} x {told}" for told, times in found.most_common(8) if told)
        yield Row(f"coding: scorings of {what}", scorings - unnamed, scorings, notes)


def _task(number: int, draw: random.Random) -> dict[str, Any]:
    patterns = [_pattern(draw) for _ in range(draw.randint(0, 4))]
    return {
        "id": f"t{number}",
        "category": "code_generation",
        "prompt": "do",
        "expectedPatterns": [each for each in patterns if each.strip()],
        "expectedFiles": [{"path": "out.txt", "shouldContain": draw.choice(_WORDS[:8])}],
    }


def _pattern(draw: random.Random) -> str:
    prefix = draw.choice(_PREFIXES)
    if prefix == "regex:":
        return prefix + draw.choice(_REGEXES)
    word = draw.choice(_WORDS[:8] + _WORDS[10:])
    return prefix + draw.choice((word, word.upper(), word.lower(), f" {word}", f"{word} "))


def _output(draw: random.Random) -> str:
    said = [draw.choice(_WORDS) for _ in range(draw.randint(0, 6))]
    text = draw.choice((" ", "\n", "")).join(said)
    return draw.choice((text, text.upper(), text.lower(), text.swapcase()))


def _difference(task: dict[str, Any], case: Case, output: str) -> str:
    patterns = task["expectedPatterns"]
    passed, score = scored(output, patterns)
    item = case.expect[0]
    result = check(record(reply(output)), item)
    ours = (result.status == "pass", score_of([item], [result], {}))
    if ours == (passed, score):
        return ""
    if ours == (False, score) and not output.strip():
        return SAID_NOTHING
    bare = [":".join(part.strip() for part in each.split(":")) for each in patterns]
    if scored(output.strip(), bare) == ours:
        return BLANKS
    if scored(output.casefold(), [each.casefold() for each in bare]) == ours:
        return FOLDED
    return f"UNNAMED {patterns} in {output!r}: theirs {(passed, score)}, ours {ours}"


def _of_files(task: dict[str, Any], case: Case, content: str) -> str:
    wanted = task["expectedFiles"][0]["shouldContain"]
    theirs = wanted.lower() in content.lower()
    result = check(
        record(reply("x"), files={"out.txt": WorkspaceFile(size=len(content), text=content)}),
        case.expect[1],
    )
    ours = result.status == "pass"
    if ours == theirs:
        return ""
    if (wanted.casefold() in content.casefold()) == ours:
        return FOLDED
    return f"UNNAMED {wanted!r} in {content!r}: theirs {theirs}"


def scored(output: str, patterns: Sequence[str]) -> tuple[bool, float]:
    """Whether an answer passes, and its score."""
    if not patterns:
        return len(output) > 10, float(len(output) > 10)
    met = sum(_met(output, each) for each in patterns)
    return met == len(patterns), met / len(patterns)


def _met(output: str, pattern: str) -> bool:
    lower = output.lower()
    if pattern.startswith("regex:"):
        return re.search(pattern.removeprefix("regex:"), output, re.IGNORECASE) is not None
    if pattern.startswith("not_contains:"):
        return pattern.removeprefix("not_contains:").lower() not in lower
    return pattern.removeprefix("contains:").lower() in lower
