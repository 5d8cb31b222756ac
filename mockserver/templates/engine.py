"""Templates in answers: Jinja2 expressions in a sandbox, with a limit on the work that one may do.

A template is text with `{{ expression }}`, `{% if %}`, `{% for %}`, `{% set %}` and `{% with %}`,
as Jinja2 has them. Text that is one expression and nothing else keeps the type of its value, so
that `{"total": "{{ request.body.seats * 80 }}"}` answers a number.

What a template may not do: reach attributes that start with an underscore, call anything but the
functions that it is given and harmless methods of texts and mappings, include or import other
templates, define macros, change values, or do more work than `MOST_STEPS` and `MOST_CHARACTERS`
allow. A turn of a loop is a step, and so is each element that a filter or a list is given.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from mockserver.model import Json

if TYPE_CHECKING:
    from jinja2 import Environment, nodes
    from jinja2.sandbox import SandboxedEnvironment

MOST_STEPS = 100_000
"""Turns of loops and elements of values that one rendering may pass."""

MOST_CHARACTERS = 4 * 1024 * 1024
"""Characters of any text that a template makes, and of all that it answers."""

MOST_SOURCE = 256 * 1024
"""Characters of a template."""

_CHARACTERS_OF_STEP = 64
_MOST_DIGITS = 4096
"""Bits of a whole number."""

_MARKS = ("{{", "{%", "{#")
_COMPILED = 4096

_TEXT_METHODS = frozenset({
    "capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdigit",
    "islower", "isspace", "isupper", "lower", "lstrip", "partition", "removeprefix", "removesuffix",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase",
    "title", "upper",
})  # fmt: skip
_MAPPING_METHODS = frozenset({"get", "items", "keys", "values"})
_LIST_METHODS = frozenset({"count", "index"})

_FILTERS = (
    "abs", "attr", "batch", "capitalize", "count", "d", "default", "dictsort", "first", "float",
    "groupby", "int", "items", "last", "length", "list", "lower", "map", "max", "min", "reject",
    "rejectattr", "reverse", "round", "select", "selectattr", "slice", "sort", "title", "trim",
    "truncate", "unique", "upper", "urlencode", "wordcount",
)  # fmt: skip
"""Filters of Jinja2 whose work is bounded by what they are given. `join`, `replace`, `string`,
`sum`, `tojson` and `without` are our own; the others (`center`, `format` ...) are left out."""


class TemplateError(Exception):
    """A template cannot be read or rendered; the message says why, in one line."""


class _Budget:
    """Counts the work of one rendering."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def charge(self, steps: int) -> None:
        """Take steps.

        Raises:
            TemplateError: Too few are left.
        """
        self._left -= steps
        if self._left < 0:
            raise TemplateError(f"it takes more than {MOST_STEPS} steps")

    def count(self, values: Iterable[Any]) -> Iterator[Any]:
        """The values, each of which is a step.

        Yields:
            Each value.

        Raises:
            TemplateError: No step is left.
        """
        for value in values:
            self.charge(1)
            yield value

    def charge_for(self, value: Any) -> Any:
        """Take a step for each part of a value, at any depth; the value itself."""
        waiting = [value]
        while waiting:
            each = waiting.pop()
            self.charge(1)
            if isinstance(each, str):
                self.charge(len(each) // _CHARACTERS_OF_STEP)
            elif isinstance(each, list | tuple):
                waiting += each
            elif type(each) is dict:
                waiting += each.values()
        return value


class Template:
    """Text with expressions, compiled.

    Args:
        source: The text.

    Raises:
        TemplateError: It is no template, or uses what the sandbox does not have.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        if len(source) > MOST_SOURCE:
            raise TemplateError(f"it is longer than {MOST_SOURCE} characters")
        self._template = _compile(source)
        self._only = _only_expression(source)

    @cached_property
    def _expression(self) -> Any:
        return _compile_expression(self._only)

    def render(self, values: Mapping[str, Any]) -> Json:
        """What it answers: the value of its one expression, or else text.

        Args:
            values: What its expressions may speak of, by name.

        Raises:
            TemplateError: A name is not defined, or an expression fails.
        """
        if self._only:
            found: Json = _run(lambda context: _plain(self._expression(**context)), values)
            return found
        return self.text(values)

    def text(self, values: Mapping[str, Any]) -> str:
        """What it answers, always as text.

        Raises:
            TemplateError: A name is not defined, or an expression fails.
        """
        return str(_run(lambda context: self._join_parts(context), values))

    def _join_parts(self, context: Mapping[str, Any]) -> str:
        parts: list[str] = []
        length = 0
        for part in self._template.generate(**context):
            length += len(part)
            if length > MOST_CHARACTERS:
                raise TemplateError(f"it answers more than {MOST_CHARACTERS} characters")
            parts.append(part)
        return "".join(parts)


class Condition:
    """An expression that is true or false; a name that is not defined makes it false.

    Args:
        source: The expression, without braces: `state.bookings.B1.status == "confirmed"`.

    Raises:
        TemplateError: It is no expression.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        if len(source) > MOST_SOURCE:
            raise TemplateError(f"it is longer than {MOST_SOURCE} characters")
        self._expression = _compile_expression(source, lenient=True)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it is true.

        Raises:
            TemplateError: It fails.
        """
        return bool(_run(lambda context: self._expression(**context), values))


def is_template(text: str) -> bool:
    """Whether a text has an expression in it.

    >>> is_template("B{{ seq }}"), is_template("plain")
    (True, False)
    """
    return any(mark in text for mark in _MARKS)


def has_templates(value: Json) -> bool:
    """Whether a text in a JSON value, a key included, has an expression in it.

    >>> has_templates({"a": ["B{{ seq }}"]}), has_templates({"a": 1})
    (True, False)
    """
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and is_template(each):
            return True
        if isinstance(each, dict):
            waiting += (*each, *each.values())
        elif isinstance(each, list):
            waiting += each
    return False


@lru_cache(_COMPILED)
def template(source: str) -> Template:
    """A template, compiled once.

    Raises:
        TemplateError: As `Template`.
    """
    return Template(source)


@lru_cache(_COMPILED)
def condition(source: str) -> Condition:
    """A condition, compiled once.

    Raises:
        TemplateError: As `Condition`.
    """
    return Condition(source)


def render_json(value: Json, values: Mapping[str, Any]) -> Json:
    """A JSON value whose texts, also those of its keys, are templates.

    >>> render_json({"total": "{{ 2 * seats }}", "for": "{{ name }}!"}, {"seats": 3, "name": "Ada"})
    {'total': 6, 'for': 'Ada!'}

    Raises:
        TemplateError: One of them cannot be read or rendered.
    """
    if isinstance(value, str):
        return template(value).render(values) if is_template(value) else value
    if isinstance(value, list):
        return [render_json(each, values) for each in value]
    if isinstance(value, dict):
        return {
            template(key).text(values) if is_template(key) else key: render_json(each, values)
            for key, each in value.items()
        }
    return value


def template_problems(value: Json, pointer: str = "") -> Iterator[tuple[str, str]]:
    """The templates in a JSON value that cannot be read: pointer and reason.

    >>> list(template_problems({"a": ["{{ 1 +"]}))
    [('/a/0', "unexpected 'end of template'")]

    Yields:
        One pair for each of them.
    """
    if isinstance(value, str):
        if is_template(value):
            try:
                template(value)
            except TemplateError as error:
                yield pointer, str(error)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from template_problems(each, f"{pointer}/{number}")
    elif isinstance(value, dict):
        for key, each in value.items():
            at = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            yield from template_problems(key, at)
            yield from template_problems(each, at)


def _plain(value: Any) -> Json:
    """A value as JSON has it: views and iterators become lists and objects.

    Raises:
        TemplateError: JSON has nothing like it.
    """
    return _plain_part(value, [_MOST_PARTS])


_MOST_PARTS = 1_000_000


def _plain_part(value: Any, left: list[int]) -> Json:
    from jinja2 import Undefined

    left[0] -= 1
    if left[0] < 0:
        raise TemplateError(f"its value has more than {_MOST_PARTS} parts")
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Undefined):
        str(value)  # says which name it is
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain_part(each, left) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [_plain_part(each, left) for each in value]
    raise TemplateError(f"its value is no JSON: {type(value).__name__}")


def _run(render: Callable[[Mapping[str, Any]], Any], values: Mapping[str, Any]) -> Any:
    """Render with a budget of steps.

    Raises:
        TemplateError: Whatever goes wrong in it, in one line.
    """
    from jinja2 import UndefinedError
    from jinja2.exceptions import SecurityError

    budget = _Budget()
    try:
        return render({**values, _COUNT: budget.count, _BUDGET: budget})
    except SecurityError as error:
        raise TemplateError(f"not allowed in a template: {error}") from error
    except UndefinedError as error:
        raise TemplateError(str(error)) from error
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        raise TemplateError(f"{type(error).__name__}: {error}") from error
    except RecursionError:
        raise TemplateError("its values are nested too deeply") from None


_COUNT = "_count"
_BUDGET = "_budget"


def _compile(source: str) -> Any:
    from jinja2 import TemplateSyntaxError

    try:
        return _sandbox(lenient=False).from_string(source)
    except TemplateSyntaxError as error:
        raise TemplateError(_reason(error)) from error
    except RecursionError:
        raise TemplateError("its expressions are nested too deeply") from None
    except (SyntaxError, ValueError, OverflowError) as error:
        raise TemplateError(f"it cannot be compiled: {error}") from error


def _compile_expression(source: str, *, lenient: bool = False) -> Any:
    from jinja2 import TemplateSyntaxError

    try:
        return _sandbox(lenient=lenient).compile_expression(source, undefined_to_none=lenient)
    except TemplateSyntaxError as error:
        raise TemplateError(_reason(error)) from error
    except RecursionError:
        raise TemplateError("its expressions are nested too deeply") from None
    except (SyntaxError, ValueError, OverflowError) as error:
        raise TemplateError(f"it cannot be compiled: {error}") from error


def _reason(error: Any) -> str:
    line = f" (line {error.lineno})" if (error.lineno or 1) > 1 else ""
    return f"{str(error.message).rstrip('.')}{line}"


def _only_expression(source: str) -> str:
    """The expression that a text is, without its braces; empty where it is more than that."""
    from jinja2 import TemplateSyntaxError, nodes

    text = source.strip()
    if not (text.startswith("{{") and text.endswith("}}")):
        return ""
    try:
        [*body] = _sandbox(lenient=False).parse(text).body
    except TemplateSyntaxError:
        return ""
    if len(body) != 1 or not isinstance(body[0], nodes.Output):
        return ""
    inside = body[0].nodes
    is_one = len(inside) == 1 and not isinstance(inside[0], nodes.TemplateData)
    # in brackets, since by itself `1, 2` is no expression
    return f"({_TRIMMING.sub('', text[2:-2])})" if is_one else ""


_TRIMMING = re.compile(r"\A[-+]|-\Z")
"""What Jinja2 reads as part of the braces: `{{-` and `-}}`."""


@lru_cache(2)
def _sandbox(*, lenient: bool) -> "SandboxedEnvironment":
    """The environment of all templates.

    Args:
        lenient: Whether names that are not defined are nothing, rather than an error.
    """
    from jinja2 import ChainableUndefined, StrictUndefined, nodes
    from jinja2.exceptions import SecurityError
    from jinja2.filters import FILTERS
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    allowed = (
        nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign,
        nodes.With, nodes.Expr, nodes.Helper, nodes.Scope, nodes.ExprStmt,
    )  # fmt: skip

    class Sandbox(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"*", "+", "%", "**"})

        @override
        def _generate(
            self, source: nodes.Template, name: str | None, filename: str | None,
            defer_init: bool = False,
        ) -> str:  # fmt: skip
            _guard(source, allowed, self)
            return super()._generate(source, name, filename, defer_init)

        @override
        def is_safe_callable(self, obj: Any) -> bool:
            return getattr(obj, "is_for_templates", False) or _is_harmless_method(obj)

        @override
        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            problem = _growth_problem(operator, left, right)
            if problem:
                raise SecurityError(problem)
            return super().call_binop(context, operator, left, right)

    environment = Sandbox(
        undefined=ChainableUndefined if lenient else StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        cache_size=0,
    )
    given = {name: FILTERS[name] for name in _FILTERS}
    given |= {"join": _join, "replace": _replace, "string": _text, "sum": _sum, "tojson": _to_json,
              "without": _without}  # fmt: skip
    environment.filters = {name: _charge_filter(function) for name, function in given.items()}
    environment.filters |= {_JOIN: _concat, _MADE: _charge_filter(lambda value: value)}
    environment.finalize = _as_text
    environment.globals = {"range": _range}
    return environment


_JOIN = "_joined"
_MADE = "_made"


def _guard(
    tree: "nodes.Template", allowed: tuple[type["nodes.Node"], ...], environment: "Environment"
) -> None:
    """Refuse statements that the sandbox does not have; charge loops, lists and joined texts.

    Raises:
        TemplateSyntaxError: A statement is refused.
    """
    from jinja2 import TemplateSyntaxError, nodes

    def filter_node(value: nodes.Expr, name: str) -> nodes.Filter:
        made = nodes.Filter(value, name, [], [], None, None, lineno=value.lineno)
        made.set_environment(environment)
        return made

    def guard_made(value: Any) -> Any:
        if isinstance(value, nodes.Concat):
            return filter_node(nodes.List(value.nodes, lineno=value.lineno), _JOIN)
        is_made = isinstance(value, nodes.List | nodes.Dict) or (
            isinstance(value, nodes.Tuple) and value.ctx == "load"
        )
        return filter_node(value, _MADE) if is_made else value

    waiting: list[nodes.Node] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Stmt) and not isinstance(node, allowed):
            name = type(node).__name__.lower()
            raise TemplateSyntaxError(f"{name} is not allowed here", node.lineno)
        if isinstance(node, nodes.Name) and node.name in {_COUNT, _BUDGET}:
            raise TemplateSyntaxError(f"{node.name} is not for templates", node.lineno)
        waiting += node.iter_child_nodes()
        if isinstance(node, nodes.Filter) and node.name in {_JOIN, _MADE}:
            continue
        for name, value in node.iter_fields():
            if isinstance(value, list):
                setattr(node, name, [guard_made(each) for each in value])
            else:
                setattr(node, name, guard_made(value))
        if isinstance(node, nodes.For):
            if node.recursive:
                raise TemplateSyntaxError("a loop may not call itself", node.lineno)
            counter = nodes.Name(_COUNT, "load", lineno=node.lineno)
            counted = nodes.Call(counter, [node.iter], [], None, None, lineno=node.lineno)
            counted.set_environment(environment)
            node.iter = counted


def _charge_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that takes a step for each element that it is given."""
    from jinja2 import Undefined, pass_context

    passed = str(getattr(function, "jinja_pass_arg", ""))

    @pass_context
    def charge_call(context: Any, value: Any, *arguments: Any, **named: Any) -> Any:
        budget: _Budget = context[_BUDGET]
        if isinstance(value, list | tuple | dict | str):
            budget.charge_for(value)
        elif isinstance(value, Sized) and not isinstance(value, Undefined):
            budget.charge(len(value))
        first = {
            "_PassArg.context": (context,),
            "_PassArg.eval_context": (context.eval_ctx,),
            "_PassArg.environment": (context.environment,),
        }.get(passed, ())
        return function(*first, value, *arguments, **named)

    return charge_call


def _is_harmless_method(function: Any) -> bool:
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, _Budget):
        return True
    if isinstance(owner, str):
        return name in _TEXT_METHODS
    if isinstance(owner, Mapping):
        return name in _MAPPING_METHODS
    return isinstance(owner, list | tuple) and name in _LIST_METHODS


def _growth_problem(operator: str, left: Any, right: Any) -> str:
    """Why an operation would make too large a value; empty where it would not."""
    sized = (str, bytes, list, tuple)
    if operator == "%" and isinstance(left, str | bytes):
        return "% on text; write ~ or {{ }}"
    if operator == "*" and isinstance(left, sized) != isinstance(right, sized):
        value, times = (left, right) if isinstance(left, sized) else (right, left)
        if not isinstance(value, str):
            return "a list times a number"
        if isinstance(times, int) and len(value) * times > MOST_CHARACTERS:
            return f"a text of more than {MOST_CHARACTERS} characters"
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > MOST_CHARACTERS:
            return f"a text of more than {MOST_CHARACTERS} characters"
    elif operator == "+" and isinstance(left, sized) and isinstance(right, sized):
        if len(left) + len(right) <= MOST_STEPS:
            return ""
        return f"a list of more than {MOST_STEPS} parts"
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() + right.bit_length()
        if operator == "**":
            bits = left.bit_length() * max(right, 1)
        if operator in {"*", "**"} and bits > _MOST_DIGITS:
            return f"a number of more than {_MOST_DIGITS} bits"
    return ""


def _check_length(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise TemplateError(f"it makes a text of more than {MOST_CHARACTERS} characters")
    return text


def _concat(values: list[Any]) -> str:
    texts = [str(_as_text(value)) for value in values]
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise TemplateError(f"it makes a text of more than {MOST_CHARACTERS} characters")
    return "".join(texts)


def _as_text(value: Any) -> Any:
    """A value as text shows it: objects and arrays as JSON."""
    is_nested = isinstance(value, list | tuple | Mapping)
    return _to_json(value) if is_nested else value


def _text(value: Any) -> str:
    return str(_as_text(value))


def _sum(values: Iterable[Any], attribute: str | None = None) -> Any:
    total: Any = 0
    for value in values:
        each = value[attribute] if attribute is not None else value
        if not isinstance(each, int | float):
            raise TemplateError(f"sum of what is no number: {type(each).__name__}")
        total += each
    return total


def _join(values: Iterable[Any], between: str = "", attribute: str | None = None) -> str:
    """The filter `join`.

    Raises:
        TemplateError: The text grows too long.
    """
    texts: list[str] = []
    length = 0
    for value in values:
        text = _text(value[attribute] if attribute is not None else value)
        length += len(text) + len(between)
        if length > MOST_CHARACTERS:
            raise TemplateError(f"it makes a text of more than {MOST_CHARACTERS} characters")
        texts.append(text)
    return str(between).join(texts)


def _without(value: Any, *names: str) -> Any:
    """The filter `without`: an object but for some of its fields.

    Raises:
        TemplateError: It is no object.
    """
    if not isinstance(value, Mapping):
        raise TemplateError(f"without takes an object, not {type(value).__name__}")
    return {name: each for name, each in value.items() if name not in names}


def _replace(text: Any, old: str, new: str, count: int = -1) -> str:
    """The filter `replace`.

    Raises:
        TemplateError: The text grows too long.
    """
    written = _text(text)
    places = written.count(old)
    if len(written) + places * len(new) > MOST_CHARACTERS:
        raise TemplateError(f"it makes a text of more than {MOST_CHARACTERS} characters")
    return written.replace(old, new, count)


def _to_json(value: Any, indent: int | None = None) -> str:
    import orjson

    option = orjson.OPT_INDENT_2 if indent else 0
    text: str = orjson.dumps(_plain(value), option=option).decode()
    return _check_length(text)


def _range(*limits: int) -> range:
    """The function `range`.

    Raises:
        TemplateError: It is longer than a template may take turns.
    """
    found = range(*limits)
    if len(found) > MOST_STEPS:
        raise TemplateError(f"range() of more than {MOST_STEPS} numbers")
    return found


for _function in (_range,):
    _function.is_for_templates = True  # type: ignore[attr-defined]
