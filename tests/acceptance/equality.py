"""Whether two checkouts answer the same: `python -m tests.acceptance.equality OTHER`.

What lies in the other checkout (suites, declared APIs, cassettes, runs) is asked of both, in
processes of their own and without sockets, with equal clocks, seeds and session ids. Every answer
must be equal: its status, its headers and its body; JSON that differs in its form alone, such as
the order of keys, is counted apart. `--expected FILE` names differences that are meant, a list of
`{request: <glob>, reason: <text>}`; each must be met.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple, cast

import orjson
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

HERE = Path(__file__).parents[2]
PARTS = ("methods", "suites", "declared", "runs")
KINDS = ("status", "headers", "body", "form", "request")
SHOWN = 40
"""Differences of one part that are printed, the first of those alike; all are counted."""
_WIDTH = 300
_CONTEXT = 120
_SESSION = b'["POST /_mock/sessions {'


class Difference(NamedTuple):
    """One request that is answered differently.

    Attributes:
        request: What was asked.
        kind: What differs, one of `KINDS`.
        before: What the other checkout answers.
        after: What this one answers.
    """

    request: str
    kind: str
    before: str
    after: str


@dataclass
class Expected:
    """The differences that are meant, with how often each was met."""

    rules: Sequence[Mapping[str, str]] = ()
    met: Counter[int] = field(default_factory=Counter)

    def covers(self, request: str) -> bool:
        """Whether a request may be answered differently."""
        for number, rule in enumerate(self.rules):
            if fnmatchcase(request, rule["request"]):
                self.met[number] += 1
                return True
        return False


@dataclass
class Part:
    """What came of one part.

    Attributes:
        name: Its name.
        compared: Answers that were compared.
        equal: Those that are equal.
        expected: Those whose difference is meant.
        found: How many differ, by kind.
        shown: The first of those alike, by kind and path, with how many they are.
        failed: What a process printed that ended before its end.
    """

    name: str
    compared: int = 0
    equal: int = 0
    expected: int = 0
    found: Counter[str] = field(default_factory=Counter)
    shown: dict[tuple[str, str], tuple[Difference, int]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def add(self, other: "Part") -> None:
        """Take over what another shard found."""
        self.compared += other.compared
        self.equal += other.equal
        self.expected += other.expected
        for first, number in other.shown.values():
            self.note(first, number)
        self.failed += other.failed

    def note(self, difference: Difference, number: int = 1) -> None:
        """Count a difference, and keep the first of those alike."""
        self.found[difference.kind] += number
        alike = difference.kind, difference.request.partition("?")[0].partition(" {")[0]
        first, before = self.shown.get(alike, (difference, 0))
        self.shown[alike] = first, before + number


def differences(before: bytes, after: bytes) -> Iterator[Difference]:
    """How two answers to one request differ.

    Args:
        before: A line that `tests.acceptance.answers` printed.
        after: The same of the other.

    Yields:
        Each kind of difference once.
    """
    request, *then = orjson.loads(before)
    other, *now = orjson.loads(after)
    if request != other:
        yield Difference(request, "request", request, other)
        return
    if then[0] != now[0]:
        yield Difference(request, "status", f"{then[0]} {then[2]}", f"{now[0]} {now[2]}")
        return
    if then[2] != now[2]:
        yield _body_difference(request, then[2], now[2])
    headed = [[pair for pair in each[1] if pair[0] != "content-length"] for each in (then, now)]
    if headed[0] != headed[1]:
        lost = [pair for pair in headed[0] if pair not in headed[1]]
        new = [pair for pair in headed[1] if pair not in headed[0]]
        yield Difference(request, "headers", repr(lost), repr(new))


def _body_difference(request: str, before: str, after: str) -> Difference:
    try:
        then, now = orjson.loads(before), orjson.loads(after)
    except orjson.JSONDecodeError:
        return Difference(request, "body", *_where_texts_part(before, after))
    if then == now:
        return Difference(request, "form", *_where_texts_part(before, after))
    where, one, other = next(_places(then, now, ""))
    return Difference(request, "body", f"{where}: {one}", f"{where}: {other}")


def _where_texts_part(before: str, after: str) -> tuple[str, str]:
    pairs = zip_longest(before, after)
    start = max(0, next(n for n, (one, other) in enumerate(pairs) if one != other) - _CONTEXT)
    return " ".join(before[start:].split()), " ".join(after[start:].split())


def _places(before: Any, after: Any, where: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            if key not in before or key not in after:
                yield f"{where}/{key}", _text(before.get(key, ...)), _text(after.get(key, ...))
            elif before[key] != after[key]:
                yield from _places(before[key], after[key], f"{where}/{key}")
    elif isinstance(before, list) and isinstance(after, list):
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            if one != other:
                yield from _places(one, other, f"{where}/{number}")
        if len(before) != len(after):
            rest = min(len(before), len(after))
            yield f"{where}/{rest}", _text(before[rest:] or ...), _text(after[rest:] or ...)
    else:
        yield where, _text(before), _text(after)


def _text(value: Any) -> str:
    return "nothing" if value is ... else orjson.dumps(value).decode()


def compare(name: str, before: IO[bytes], after: IO[bytes], expected: Expected) -> Part:
    """Hold what two checkouts printed against each other.

    Where they ask differently, because an answer before was different, both go on at the next
    session that both ask.
    """
    part = Part(name)
    streams: list[Iterator[bytes]] = [iter(before), iter(after)]
    while True:
        one, other = (next(stream, b"") for stream in streams)
        if not one and not other:
            return part
        part.compared += 1
        if one == other:
            part.equal += 1
            continue
        found = [*differences(one, other)] if one and other else [_ended(one, other)]
        request = found[0].request if found else ""
        if not found:
            part.equal += 1
        elif expected.covers(f"{name}: {request}"):
            part.expected += 1
        else:
            for each in found:
                part.note(each)
        if any(each.kind == "request" for each in found):
            starts = zip((one, other), streams, strict=True)
            streams = _from_next_session([chain([line], stream) for line, stream in starts])


def _ended(one: bytes, other: bytes) -> Difference:
    texts = [orjson.loads(line)[0] if line else "nothing: it ended" for line in (one, other)]
    return Difference(texts[0], "request", *texts)


def _from_next_session(streams: Sequence[Iterator[bytes]]) -> list[Iterator[bytes]]:
    """The lines from the next session on that is in both streams; nothing where there is none."""
    read: tuple[list[bytes], list[bytes]] = ([], [])
    starts: tuple[dict[str, int], dict[str, int]] = ({}, {})
    is_over = False
    while not is_over:
        is_over = True
        for stream, lines, found in zip(streams, read, starts, strict=True):
            for line in stream:
                lines.append(line)
                if line.startswith(_SESSION):
                    found[orjson.loads(line)[0]] = len(lines) - 1
                    is_over = False
                    break
        both = starts[0].keys() & starts[1].keys()
        if both:
            session = min(both, key=starts[0].__getitem__)
            parts = zip(streams, read, starts, strict=True)
            return [chain(lines[found[session] :], stream) for stream, lines, found in parts]
    return [iter(()), iter(())]


class Comparison:
    """Two checkouts with what both are asked.

    Args:
        other: The other checkout.
        work: A folder for what is prepared.
        limit: Documents, cases, suites or files of each part; 0 for all.
    """

    def __init__(self, other: Path, work: Path, limit: int) -> None:
        self._other, self._work, self._limit = other, work, limit
        world = work / "world/base"
        world.mkdir(parents=True)
        for suite in ("chrome-enterprise", "sre"):
            for file in (other / "fixtures" / suite / "base").iterdir():
                (world / f"{suite}-{file.name}").write_bytes(file.read_bytes())
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        (work / "key.pem").write_bytes(key.private_bytes(*form, serialization.NoEncryption()))
        for side, checkout in (("before", other), ("after", HERE)):
            folder = work / side
            folder.mkdir()
            for package in ("mockserver", "harness"):
                (folder / package).symlink_to(checkout / package)
            (folder / "tests").symlink_to(HERE / "tests")

    def harvest(self) -> None:
        """Run the other checkout's tests of declared APIs, and keep their suites."""
        folder = self._work / "plugin"
        folder.mkdir()
        (folder / "equality_harvest.py").symlink_to(HERE / "tests/acceptance/harvest.py")
        kept = self._work / "harvest"
        kept.mkdir()
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "equality_harvest",
                   "-p", "no:cacheprovider", "tests/mockserver/declared"]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=self._other,
            env=_environment(self._other, folder)
            | {"EQUALITY_HARVEST": str(kept), "EQUALITY_LIMIT": str(self._limit)},
            check=False,
            capture_output=True,
            text=True,
        )
        if not any(kept.iterdir()):
            raise SystemExit(f"the tests of {self._other} left no suite:\n{done.stdout[-2000:]}")

    def shard(self, name: str, number: int, shards: int, expected: Expected) -> Part:
        """Ask both checkouts a share of a part."""
        asked = [
            name,
            str(self._other),
            str(self._work),
            str(number),
            str(shards),
            str(self._limit),
        ]
        command = [sys.executable, "-P", "-m", "tests.acceptance.answers", *asked]
        with ExitStack() as stack:
            processes, streams, errors = [], [], []
            for side in ("before", "after"):
                errors.append(self._work / f"{name}-{number}-{side}.err")
                process = subprocess.Popen(
                    command,
                    stdout=subprocess.PIPE,
                    stderr=stack.enter_context(errors[-1].open("wb")),
                    cwd=self._work,
                    env=_environment(self._work / side),
                )
                processes.append(stack.enter_context(process))
                streams.append(cast(IO[bytes], process.stdout))
            part = compare(name, streams[0], streams[1], expected)
        for process, error in zip(processes, errors, strict=True):
            if process.returncode:
                part.failed.append(f"{error.name}: {error.read_text(encoding='utf-8')[-1500:]}")
        return part


def _environment(*folders: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    return own | {"PYTHONPATH": os.pathsep.join(map(str, folders)), "PYTHONHASHSEED": "0"}


def report(parts: Sequence[Part]) -> str:
    """Every difference, and a table of the parts."""
    lines = []
    for part in parts:
        for each, number in list(part.shown.values())[:SHOWN]:
            alike = f" ({number} like it)" if number > 1 else ""
            lines += [f"{part.name}: {each.kind}: {each.request[:_WIDTH]}{alike}"]
            lines += [f"  before: {each.before[:_WIDTH]}", f"  after:  {each.after[:_WIDTH]}"]
        if (more := len(part.shown) - SHOWN) > 0:
            lines.append(f"{part.name}: {more} more that are not alike")
        lines += [f"{part.name}: a process failed: {each}" for each in part.failed]
    row = "{:<10}" + "{:>10}" * (3 + len(KINDS))
    lines.append(row.format("part", "compared", "equal", "expected", *KINDS))
    for part in parts:
        numbers = (part.compared, part.equal, part.expected, *(part.found[kind] for kind in KINDS))
        lines.append(row.format(part.name, *numbers))
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare; 1 where anything differs that is not expected, or nothing was compared."""
    parser = argparse.ArgumentParser(prog="equality", description=__doc__)
    parser.add_argument("other", type=Path, help="another checkout of this project")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part alone")
    parser.add_argument("--limit", type=int, default=0, help="documents, cases, suites of a part")
    parser.add_argument("--jobs", type=int, default=1, help="pairs of processes at a time")
    parser.add_argument("--expected", type=Path, help="differences that are meant")
    given = parser.parse_args(arguments)
    expected = Expected(yaml.safe_load(given.expected.read_bytes()) if given.expected else ())
    parts = []
    with TemporaryDirectory() as work, ThreadPoolExecutor(given.jobs) as pool:
        comparison = Comparison(given.other.resolve(), Path(work), given.limit)
        for name in given.only or PARTS:
            if name == "declared":
                comparison.harvest()
            part = Part(name)
            shards = range(given.jobs)
            for found in pool.map(
                lambda n, of=name: comparison.shard(of, n, given.jobs, expected), shards
            ):
                part.add(found)
            parts.append(part)
    sys.stdout.write(report(parts))
    unmet = [rule["request"] for n, rule in enumerate(expected.rules) if not expected.met[n]]
    sys.stdout.writelines(f"expected, but not met: {each}\n" for each in unmet)
    failed = any(part.found or part.failed or not part.compared for part in parts)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
