"""The mutants of a module: each one small change of its source."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from typing_extensions import override

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change of a source file.

    Attributes:
        path: The file, relative to the root of the project.
        line: Where it is changed.
        start: Offset in the source, in characters, of what is replaced.
        end: Offset of what follows.
        before: What is replaced.
        after: What replaces it.
    """

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def apply(self, source: str) -> str:
        """The changed source; no line moves."""
        return source[: self.start] + self.after + source[self.end :]

    @override
    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {_one_line(self.before)}  ->  {_one_line(self.after)}"


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a source file.

    Strings are left alone, and what only type checkers or readers see: annotations, decorators,
    `__all__`, None for an answer that is False, what `__repr__` answers. So is what is true of
    every input and said for safety: that two lists which `zip` joins are of one length, and that a
    digest is not used for security.

    Yields:
        Mutants in the order of the file.
    """
    lines = source.splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))

    def offset(line: int, column: int) -> int:
        """Of a place as `ast` gives it: lines from 1, columns in bytes."""
        return begins[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = set()
    for node, changed in _changes(ast.parse(source)):
        start = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        after = ast.unparse(changed)
        if isinstance(changed, ast.BoolOp | ast.BinOp | ast.UnaryOp | ast.Compare):
            after = f"({after})"
        breaks = "\n" * source.count("\n", start, end)  # no line moves
        if breaks:
            after = f"({after}{breaks})" if isinstance(changed, ast.expr) else after + breaks
        found.add(Mutant(path, node.lineno, start, end, source[start:end], after))
    yield from sorted(found, key=lambda one: (one.start, one.end, one.after))


def _changes(tree: ast.AST) -> Iterator[tuple[ast.stmt | ast.expr, ast.stmt | ast.expr]]:
    for node in _mutable(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            if _can_be_negated(node.test):
                yield node.test, ast.UnaryOp(ast.Not(), node.test)
        elif isinstance(node, ast.expr):
            yield from ((node, changed) for changed in _expressions(node))
        elif isinstance(node, ast.stmt):
            yield from ((node, changed) for changed in _statements(node))


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                ops = list(node.ops)
                ops[index] = _COMPARISONS[type(operator)]()
                yield ast.Compare(node.left, ops, node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.BinOp() if type(node.op) in _ARITHMETIC and not _is_text(node):
            yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
        case ast.Constant(value=bool() as flag):
            yield ast.Constant(not flag)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
        case _:
            pass


def _statements(node: ast.stmt) -> Iterator[ast.stmt]:
    match node:
        case ast.AugAssign():
            yield ast.Assign([node.target], node.value, lineno=node.lineno)
        case ast.Return(value=ast.expr() as value) if not (_is(value, None) or _is(value, False)):
            yield ast.Return(ast.Constant(None))
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()
        case _:
            pass


def _can_be_negated(test: ast.expr) -> bool:
    """Whether nothing else negates it: comparisons are turned round, and `not` is removed."""
    return not (isinstance(test, ast.Compare | ast.UnaryOp) or _is(test, True))


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_text(node: ast.BinOp) -> bool:
    """Whether `+` joins strings or `%` fills one: any change is an error, and proves nothing."""
    sides = (node.left, node.right)
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str | bytes))
        for each in sides
    )


def _mutable(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module that decide what it does."""
    match tree:
        case ast.JoinedStr():  # its parts have no places of their own
            return
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
        case ast.FunctionDef(name="__repr__"):
            return
        case ast.AnnAssign():
            children: list[ast.AST | None] = [tree.value]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            children = [*tree.args.defaults, *tree.args.kw_defaults, *tree.body]
        case ast.ClassDef():
            children = list(tree.body)
        case ast.Call(func=called):
            is_zip = isinstance(called, ast.Name) and called.id == "zip"
            said = {"usedforsecurity", "strict"} if is_zip else {"usedforsecurity"}
            children = [called, *tree.args, *(e.value for e in tree.keywords if e.arg not in said)]
        case ast.Subscript():
            # `x[0]` is changed, `tuple[int, ...]` as a value is not
            children = [tree.value, tree.slice]
        case _:
            children = list(ast.iter_child_nodes(tree))
    yield tree
    for child in children:
        if child is not None:
            yield from _mutable(child)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:100]
