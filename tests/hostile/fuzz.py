"""Spoils files and reads them: `python -m tests.hostile.fuzz`, or `make fuzz`.

Input n of a seed is always the same. Each is read in a process that may use 2 CPU seconds, one
more for each MB of the input, and 500 MB for it; only the project's own errors may come out, with
a message that can be printed.
"""

import argparse
import faulthandler
import gc
import json
import logging
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path

from typing_extensions import override

from harness.errors import HarnessError
from mockserver.errors import MockServerError
from tests.hostile.loaders import LOADERS, ROOT, Loader
from tests.hostile.mutations import Mutator

CPU_SECONDS = 2.0
CPU_SECONDS_A_MB = 1.0
"""YAML is read and written at about half a second a MB; what is worse than linear is far above."""
MEMORY = 500 * 1024 * 1024
_LONGEST_LINE = 3_000
_SLOWEST = 5
"""Inputs that are named for what they cost, since the next machine may be slower."""

_TAKEN = tuple(loader for loader in LOADERS for _ in range(loader.weight))
_ATTEMPTS = 200
_PATIENCE = 120
"""Seconds: only what waits for ever, and so uses no CPU, is ended by them."""
_ENDS: dict[int, str] = {signal.SIGPROF: "too many CPU s", signal.SIGALRM: "hung"}


@dataclass(frozen=True)
class Failure:
    """An input that did harm.

    Attributes:
        number: Which one.
        loader: What read it.
        file: The file that was spoilt.
        kind: The exception, or the limit.
        place: The innermost line of the project.
        message: What it said.
    """

    number: int
    loader: str
    file: str
    kind: str
    place: str
    message: str = ""

    @property
    def family(self) -> tuple[str, str]:
        """Failures with one cause, as far as can be told."""
        return self.kind, self.place


@dataclass
class Tally:
    """What came of a number of inputs."""

    read: int = 0
    refused: int = 0
    slowest: list[tuple[float, int]] = field(default_factory=list)
    worst_memory: tuple[int, int] = (0, -1)
    cpu: float = 0.0
    failures: list[Failure] = field(default_factory=list)


class Inputs:
    """The inputs of one seed.

    Args:
        seed: Their seed.
        folder: Where the files are written that are to be spoilt.
        only: Part of the name of the loaders that are wanted.
    """

    def __init__(self, seed: int, folder: Path, only: str = "") -> None:
        self.seed = seed
        self.folder = folder
        self.only = only
        self.loaders = [loader for loader in _TAKEN if only in loader.name]
        self._files: dict[str, dict[str, bytes]] = {}
        self._spoilable: dict[str, list[str]] = {}

    def write_all(self) -> None:
        """Write the files of every loader, whole."""
        for loader in dict.fromkeys(self.loaders):
            target = self.folder / str(LOADERS.index(loader))
            target.mkdir(parents=True, exist_ok=True)
            loader.write(target)
            self._files[loader.name] = {
                str(path.relative_to(target)): path.read_bytes()
                for path in sorted(target.rglob("*"))
                if path.is_file()
            }
            wanted = {path for glob in loader.spoil for path in target.glob(glob)}
            names = sorted(str(path.relative_to(target)) for path in wanted if path.is_file())
            self._spoilable[loader.name] = names

    def whole(self, loader: Loader) -> Iterator[tuple[str, bytes]]:
        """The files of a loader that may be spoilt, as they were written."""
        for name in self._spoilable[loader.name]:
            yield name, self._files[loader.name][name]

    def restore(self, loader: Loader, spoilt: str) -> None:
        """Put the files of a loader back as they were; what was made beside them is removed."""
        target = self.folder / str(LOADERS.index(loader))
        files = self._files[loader.name]
        if not loader.writes:
            (target / spoilt).write_bytes(files[spoilt])
            return
        shutil.rmtree(target, ignore_errors=True)
        for name, content in files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def of(self, number: int) -> tuple[Loader, str, bytes]:
        """What reads an input, the file that is spoilt, and what it holds."""
        rng = random.Random(f"{self.seed}:{number}")
        loader = self.loaders[number % len(self.loaders)]
        files = self._files[loader.name]
        name = rng.choice(self._spoilable[loader.name])
        others = [content for other, content in files.items() if other != name]
        return loader, name, Mutator(rng).spoiled(name, files[name], others)


def read(inputs: Inputs, loader: Loader, name: str, content: bytes) -> Failure | None:
    """Let a loader read a file with this content; what is wrong with what came out."""
    target = inputs.folder / str(LOADERS.index(loader))
    path = target / name
    (target / ".spoilt").write_text(name, encoding="utf-8")
    path.write_bytes(content)
    try:
        texts: Iterable[str] = list(loader.read(target))
    except (MockServerError, HarnessError) as error:
        texts = (str(error),)
        if max(map(len, texts[0].split("\n"))) > _LONGEST_LINE:
            return Failure(-1, loader.name, name, "message too long", _place(error), texts[0][:200])
        if not texts[0].strip():
            return Failure(-1, loader.name, name, "empty message", _place(error))
        kind = "refused"
    except BaseException as error:  # noqa: BLE001  (that is what is looked for)
        said = str(error).encode("ascii", "backslashreplace").decode()[:300]
        return Failure(-1, loader.name, name, type(error).__name__, _place(error), said)
    else:
        kind = ""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        return Failure(-1, loader.name, name, "unprintable text", kind or "a report")
    return Failure(-1, loader.name, name, "", kind) if kind else None


def _place(error: BaseException) -> str:
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(ROOT) and "/.venv/" not in frame.filename
    ]
    own = [f for f in frames if "/tests/" not in f.filename] or frames
    if not own:
        return "?"
    return f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].lineno} {own[-1].name}"


def run(inputs: Inputs, numbers: Sequence[int]) -> Tally:
    """Read inputs in processes of their own: one that dies does not end the others."""
    tally = Tally()
    at = 0
    with tempfile.TemporaryFile("w+b") as traces:
        while at < len(numbers):
            at += _batch(inputs, numbers[at:], tally, traces.fileno())
    return tally


def _batch(inputs: Inputs, numbers: Sequence[int], tally: Tally, traces: int) -> int:
    """Read inputs in one process until it ends or dies; how many are done with."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _work(inputs, numbers, writing, traces)
        except BaseException:  # noqa: BLE001  (the fuzzer's own: the parent's work is not its)
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writing)
    done = 0
    begun: dict[str, str] = {}
    with os.fdopen(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            said = json.loads(line)
            if "begun" in said:
                begun = said
                continue
            done += 1
            tally.read += 1
            tally.cpu += said["cpu"]
            slowest = (*tally.slowest, (said["cpu"], said["number"]))
            tally.slowest = nlargest(_SLOWEST, slowest)
            tally.worst_memory = max(tally.worst_memory, (said["memory"], said["number"]))
            failure = said["failure"]
            if failure and not failure["kind"]:
                tally.refused += 1
            elif failure:
                tally.failures.append(Failure(**failure | {"number": said["number"]}))
    _, status = os.waitpid(child, 0)
    if done < len(numbers):
        ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        kind = _ENDS.get(ended, f"killed by signal {ended}")
        where = _trace(traces)
        number = numbers[done]
        tally.failures.append(Failure(number, begun["begun"], begun["file"], kind, where))
        loader, name, _ = inputs.of(number)
        inputs.restore(loader, name)
        tally.read += 1
        done += 1
    return done


def _trace(traces: int) -> str:
    """The innermost line of the project in what the dying process wrote."""
    text = os.pread(traces, 1 << 16, 0).decode("utf-8", "replace")
    os.ftruncate(traces, 0)
    os.lseek(traces, 0, os.SEEK_SET)
    own = [
        line.strip()
        for line in text.splitlines()
        if f"{ROOT}/mockserver" in line or f"{ROOT}/harness" in line
    ]
    return own[0].replace(f"{ROOT}/", "").replace('"', "") if own else "?"


def _work(inputs: Inputs, numbers: Sequence[int], writing: int, traces: int) -> None:
    """Read inputs and say of each what came of it; never returns."""
    logging.disable()
    gc.freeze()
    faulthandler.enable(traces)
    for ending in (signal.SIGPROF, signal.SIGALRM):
        faulthandler.register(ending, traces, all_threads=False, chain=True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(writing, "w", encoding="utf-8", buffering=1) as out:
        for number in numbers:
            loader, name, content = inputs.of(number)
            json.dump({"begun": loader.name, "file": name}, out)
            out.write("\n")
            out.flush()
            before = _resident("VmRSS")
            resource.setrlimit(resource.RLIMIT_AS, (_resident("VmSize") + MEMORY, -1))
            Path("/proc/self/clear_refs").write_text("5", "ascii")
            signal.setitimer(
                signal.ITIMER_PROF, CPU_SECONDS + CPU_SECONDS_A_MB * len(content) / 2**20
            )
            signal.alarm(_PATIENCE)
            began = time.process_time()
            failure = read(inputs, loader, name, content)
            cpu = time.process_time() - began
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            memory = max(0, _resident("VmHWM") - before)
            inputs.restore(loader, name)
            said = None if failure is None else vars(failure)
            json.dump({"number": number, "cpu": cpu, "memory": memory, "failure": said}, out)
            out.write("\n")
    os._exit(0)


def _resident(name: str) -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


def smallest(inputs: Inputs, failure: Failure) -> bytes:
    """A short input that fails in the same way: pieces are left out as long as it does."""
    loader, name, content = inputs.of(failure.number)
    size = max(1, len(content) // 2)
    attempts = _ATTEMPTS
    while size and attempts:
        at = 0
        while at < len(content) and attempts:
            attempts -= 1
            shorter = content[:at] + content[at + size :]
            if _fails_alike(inputs, (loader, name, shorter), failure):
                content = shorter
            else:
                at += size
        size //= 2
    return content


def _fails_alike(inputs: Inputs, tried: tuple[Loader, str, bytes], failure: Failure) -> bool:
    one = _OneInput(inputs, tried)
    tally = Tally()
    with tempfile.TemporaryFile("w+b") as traces:
        _batch(one, [failure.number], tally, traces.fileno())
    return any(each.kind == failure.kind and each.place == failure.place for each in tally.failures)


class _OneInput(Inputs):
    """A single input that is given."""

    def __init__(self, inputs: Inputs, tried: tuple[Loader, str, bytes]) -> None:
        super().__init__(inputs.seed, inputs.folder)
        self._files = inputs._files
        self._spoilable = inputs._spoilable
        self._tried = tried

    @override
    def of(self, number: int) -> tuple[Loader, str, bytes]:
        return self._tried


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fuzzer; 1 where an input did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="How many inputs.")
    parser.add_argument("--seed", type=int, default=0, help="Of the inputs.")
    parser.add_argument("--first", type=int, default=0, help="The number of the first one.")
    parser.add_argument("--loader", default="", help="Only loaders with this in their names.")
    parser.add_argument("--whole", action="store_true", help="Do not look for smaller inputs.")
    options = parser.parse_args(arguments)
    work = Path(tempfile.mkdtemp(prefix="understudy-fuzz-"))
    try:
        inputs = Inputs(options.seed, work / "files", options.loader)
        inputs.write_all()
        tally = run(inputs, range(options.first, options.first + options.count))
        _print(f"{tally.read} inputs of seed {options.seed}: {tally.refused} refused, "
               f"{len(tally.failures)} did harm; {tally.cpu:.1f} CPU s")  # fmt: skip
        slowest = ", ".join(f"{cpu:.2f} (input {number})" for cpu, number in tally.slowest)
        largest = f"{tally.worst_memory[0] >> 20} MB (input {tally.worst_memory[1]})"
        _print(f"slowest, CPU s: {slowest}; largest: {largest}")
        _tell(inputs, tally, whole=options.whole)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 1 if tally.failures else 0


def _tell(inputs: Inputs, tally: Tally, *, whole: bool) -> None:
    families = Counter(failure.family for failure in tally.failures)
    firsts = {failure.family: failure for failure in reversed(tally.failures)}
    kept = Path(tempfile.mkdtemp(prefix="understudy-fuzz-found-")) if families else None
    for family, count in families.most_common():
        first = firsts[family]
        _print(f"\n{count}x {first.kind} at {first.place}\n   {first.message}")
        again = f"--seed {inputs.seed} --first {first.number} --count 1"
        again += f" --loader {inputs.only!r}" if inputs.only else ""
        _print(f"   {first.loader}, {first.file}: {again}")
        if kept is not None:
            content = inputs.of(first.number)[2] if whole else smallest(inputs, first)
            target = kept / f"{first.number}-{Path(first.file).name}"
            target.write_bytes(content)
            _print(f"   the file: {target} ({len(content)} bytes)")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
