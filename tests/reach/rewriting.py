"""Modules that note what is reached of them, and what of it coverage.py is told.

A line has two notes: that it was reached, and that its branch went the other way than into its
body: a condition was false, a loop came to its end, a pattern did not match.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import CodeType

from coverage.parser import PythonParser

from tests.reach.hook import NOTES

Arcs = set[tuple[int, int]]
"""Steps from line to line, as coverage.py counts them; a line below 0 is the end of a function."""

NOTES_PER_LINE = 2


class _Writer:
    """Writes notes into a tree; none of them moves a line.

    Args:
        first: The place of the notes of line 0.
    """

    def __init__(self, first: int) -> None:
        self._first = first

    def _reached(self, line: int) -> int:
        return self._first + NOTES_PER_LINE * line

    def _other_way(self, line: int) -> int:
        return self._reached(line) + 1

    def _note(self, at: ast.stmt, *places: int) -> ast.stmt:
        notes = ast.Name(NOTES, ast.Load())
        targets: list[ast.expr] = [
            ast.Subscript(notes, ast.Constant(place), ast.Store()) for place in places
        ]
        return ast.copy_location(ast.Assign(targets, ast.Constant(1)), at)

    def _noted(self, at: ast.expr | ast.pattern, *places: int) -> ast.expr:
        """An expression that notes, and is false."""
        calls = " or ".join(f"{NOTES}.__setitem__({place}, 1)" for place in places)
        noted = ast.parse(calls, mode="eval").body
        for each in ast.walk(noted):
            ast.copy_location(each, at)
        return noted

    def write(self, node: ast.AST) -> None:
        """Write notes into each block of a statement, a handler or a module."""
        for name in ("body", "orelse", "finalbody"):
            if block := getattr(node, name, None):
                setattr(node, name, list(self._block(block, is_new=_can_have_docstring(node))))
        match node:
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                node.orelse.insert(0, self._note(node, self._other_way(node.lineno)))
            case ast.Match():
                node.cases = list(self._cases(node.cases))
            case ast.Try() | ast.TryStar():
                for handler in node.handlers:
                    self.write(handler)
                    if handler.type:
                        noted = self._noted(handler.type, self._reached(handler.lineno))
                        either = ast.BoolOp(ast.Or(), [noted, handler.type])
                        handler.type = ast.copy_location(either, handler.type)
            case _:
                pass

    def _block(self, statements: Sequence[ast.stmt], is_new: bool) -> Iterator[ast.stmt]:
        for number, each in enumerate(statements):
            if not (is_new and number == 0 and _is_text(each)):
                decorators = getattr(each, "decorator_list", ())
                lines = {*(one.lineno for one in decorators), each.lineno}
                yield self._note(each, *map(self._reached, sorted(lines)))
            self.write(each)
            yield each

    def _cases(self, cases: Sequence[ast.match_case]) -> Iterator[ast.match_case]:
        """Before each pattern stands one that never matches and notes that it came so far."""
        passed: list[int] = []
        for each in cases:
            line = each.pattern.lineno
            yield self._stop(each, *passed, self._reached(line))
            self.write(each)
            yield each
            passed = [self._other_way(line)]
        if not _always_matches(each):
            yield self._stop(each, *passed)

    def _stop(self, at: ast.match_case, *places: int) -> ast.match_case:
        always = ast.copy_location(ast.MatchAs(), at.pattern)
        nothing = ast.copy_location(ast.Pass(), at.pattern)
        return ast.match_case(always, self._noted(at.pattern, *places), [nothing])


def _can_have_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def _always_matches(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern


def rewritten(source: str, path: str, first: int = 0) -> CodeType:
    """The code of a module that notes what is reached of it.

    Args:
        source: Its text.
        path: Its file, as tracebacks name it.
        first: The place of its notes among those of all modules.
    """
    tree = ast.parse(source, path)
    _Writer(first).write(tree)
    return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


def arcs(source: str, notes: Sequence[int]) -> Arcs:
    """What coverage.py would have seen: each line that was reached, and each way that was taken.

    A step from a line to itself says that it was reached.

    Args:
        source: The text of a module.
        notes: Those of its lines, from line 0 on.
    """
    parser = PythonParser(text=source)
    parser.parse_source()
    noted = [number for number, note in enumerate(notes) if note]
    reached, others = (
        {parser.first_line(number // NOTES_PER_LINE) for number in noted if number % 2 == kind}
        for kind in (0, 1)
    )
    ways: dict[int, set[int]] = defaultdict(set)
    for start, end in parser.arcs():
        ways[start].add(end)
    taken = {(line, line) for line in reached}
    for start, ends in ways.items():
        if len(ends) > 1:
            body = min((end for end in ends if end > start), default=0)
            taken |= {
                (start, end)
                for end in ends
                if (end == body or start in others) and (end < 0 or end in reached)
            }
    return taken
