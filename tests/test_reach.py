"""Modules that note what is reached say of each construct what the tracer of coverage.py says."""

import asyncio
import json
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from textwrap import dedent
from types import CodeType
from typing import Any

import pytest
from coverage import Coverage, CoverageData

from tests.mutants.rooms import ROOT
from tests.reach.__main__ import START, notes_of, prepare
from tests.reach.hook import NOTES, VARIABLE
from tests.reach.rewriting import arcs, rewritten

PROGRAMS = {
    "conditions": """
        def sign(n):
            if n > 0:
                return 1
            elif n < 0:
                result = -1
            else:
                result = 0
            if (
                result
                and n
            ):
                result = result
            if n != 0:
                result = -1
            return result
        sign(1), sign(-1)
        if sign(0):
            pass
    """,
    "loops": """
        def first(numbers, wanted):
            for n in numbers:
                if n == wanted:
                    break
                if n > 5:
                    continue
                n += 1
            else:
                n = None
            for _ in ():
                n = 2
            for _ in numbers:
                return n
        first([1, 2], 2)
        first([], 2)
        while sum([1]) < 0:
            first([9], 1)
        else:
            n = 3
        while n:
            n -= 1
    """,
    "endless loops": """
        n = 0
        while True:
            n += 1
            if n > 3:
                break
        def forever():
            while 1:
                if next(ends):
                    return
        ends = iter([0, 1])
        forever()
    """,
    "exceptions": """
        def read(text):
            try:
                n = int(text)
                n += 1
            except (TypeError, AttributeError) as error:
                n = 0
            except ValueError:
                if text:
                    n = 1
                n = 2
                raise
            except:
                n = 3
            else:
                n += 2
            finally:
                if text:
                    n = 4
                done = True
            return n
        def wrong():
            raise KeyError
            n = 1
        for text in ("x", "1"):
            try:
                read(text)
                wrong()
                never = 1
            except* KeyError:
                pass
            except* ValueError:
                for _ in ():
                    pass
    """,
    "leaving by finally": """
        def leave(n):
            for _ in range(2):
                try:
                    if n:
                        continue
                    return 1
                finally:
                    n -= 1
            return 2
        leave(0), leave(2)
    """,
    "contexts": """
        from contextlib import nullcontext, suppress
        def use(n):
            with nullcontext(), suppress(ValueError):
                if n:
                    int("x")
                    never = 1
                with nullcontext():
                    if n > 1:
                        return 3
            with (
                nullcontext(),
                nullcontext(),
            ):
                for _ in range(n):
                    n = 2
        use(1), use(0)
        for n in (1, 2):
            with nullcontext():
                if n > 1:
                    break
    """,
    "patterns": """
        def say(it):
            match it:
                case 1 | 2:
                    return "few"
                case [first, *rest] if rest:
                    it = first
                case {"a": a}:
                    return a
                case str() as text:
                    it = text
            match it:
                case (
                    "x"
                    | "y"
                ):
                    return it
                case _:
                    pass
            match it:
                case 9:
                    return 0
                case other:
                    return other
        say(2), say([1, 2]), say("x"), say([])
    """,
    "comprehensions": """
        numbers = [
            n
            for n in range(3)
            if n > 1
        ]
        if any(n for n in numbers):
            low = {n: lambda n: (
                n + 1
            ) for n in numbers}
        great = 1 if numbers else 2
        short = (
            numbers
            or
            great
        )
    """,
    "coroutines": """
        import asyncio
        async def count(n):
            for each in range(n):
                yield each
                await asyncio.sleep(0)
        async def main():
            async for each in count(3):
                if each:
                    break
            async for each in count(2):
                each += 1
            async with asyncio.timeout(9):
                if await asyncio.sleep(0, 0):
                    return
            return 1
        asyncio.run(main())
        def generate():
            "Docstring."
            n = yield
            while n:
                n = yield n
        steps = generate()
        next(steps), steps.send(1), steps.close()
    """,
    "functions": """
        '''Docstring
        of a module.'''
        from functools import cache, partial
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            import nothing
        def plain(function=None, *more):
            '''Docstring.'''
            def inner():
                if function:
                    return 1
            return inner
        @cache
        @partial(
            plain,
        )
        def decorated(
            n=1,
        ):
            n: int
            return plain(n)
        decorated()
        @plain
        class Thing:
            '''Docstring.'''
            __slots__ = ()
            if plain:
                n: int = 1
            @property
            def value(self):
                global never
                return self
            def nothing(self): ...
            def other(self):
                '''Docstring alone.'''
        def last():
            if plain():
                return plain()()
            assert not plain
        last()
    """,
}


def summary(path: Path, data: Path) -> object:
    """What coverage.py reports of a program."""
    measured = Coverage(str(data), config_file=str(ROOT / "pyproject.toml"))
    measured.load()
    measured.json_report([str(path)], outfile=str(data.with_suffix(".json")))
    (told,) = json.loads(data.with_suffix(".json").read_text(encoding="utf-8"))["files"].values()
    names = ("executed_lines", "missing_lines", "executed_branches", "missing_branches")
    return {name: told[name] for name in names}


def run(code: CodeType, names: dict[str, object]) -> None:
    exec(code, {"__name__": "program", **names})
    asyncio.set_event_loop(None)


@pytest.mark.parametrize(
    "source", [pytest.param(dedent(text), id=name) for name, text in PROGRAMS.items()]
)
def test_what_is_reached_is_what_the_tracer_sees(source: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    traced = Coverage(str(tmp_path / "traced"), branch=True, include=[str(path)], config_file=False)
    with traced.collect():
        run(compile(source, str(path), "exec", dont_inherit=True), {})
    traced.save()
    notes = bytearray(notes_of(source))
    run(rewritten(source, str(path)), {NOTES: notes})
    data = CoverageData(str(tmp_path / "noted"))
    data.add_arcs({str(path): arcs(source, notes)})
    data.write()
    assert summary(path, tmp_path / "noted") == summary(path, tmp_path / "traced")


def test_no_line_moves_and_docstrings_stay(tmp_path: Path) -> None:
    source = dedent("""
        'Of the module.'
        def fail(n):
            'Of the function.'
            while n:
                try:
                    match n:
                        case 2:
                            n -= 1
                        case 1:
                            raise ValueError
                except TypeError:
                    pass
    """)

    def told(code: CodeType) -> object:
        names: dict[str, Any] = {NOTES: bytearray(notes_of(source))}
        exec(code, names)
        with pytest.raises(ValueError) as failed:  # noqa: PT011
            names["fail"](2)
        lines = [each.lineno for each in traceback.extract_tb(failed.value.__traceback__)][1:]
        return names["__doc__"], names["fail"].__doc__, names["fail"].__code__.co_firstlineno, lines

    expected = ("Of the module.", "Of the function.", 3, [11])
    assert told(compile(source, "a.py", "exec")) == told(rewritten(source, "a.py")) == expected


def test_a_process_that_is_killed_leaves_its_notes(tmp_path: Path) -> None:
    source = "import os, signal\nif os:\n    os.kill(os.getpid(), signal.SIGKILL)\nnever = 1\n"
    path = tmp_path / "mockserver.py"
    path.write_text(source, encoding="utf-8")
    prepare(tmp_path, [(path, source, slice(0, notes_of(source)))])
    command = f"{START}\nimport sys; sys.path.insert(0, {str(tmp_path)!r}); import mockserver"
    environment = {VARIABLE: str(tmp_path)}
    done = subprocess.run([sys.executable, "-I", "-c", command], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert arcs(source, (tmp_path / NOTES).read_bytes()) == {(1, 1), (2, 2), (3, 3), (2, 3)}
