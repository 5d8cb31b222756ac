"""Templates: what they answer, and what they may not do."""

from typing import Any
from unittest import mock

import pytest

from mockserver.templates import (
    Template,
    TemplateError,
    condition,
    engine,
    is_template,
    render_json,
    template,
    template_problems,
)

VALUES: dict[str, Any] = {"request": {"a": 1, "name": "Ada"}, "call": lambda: 1}
DOUBLED = "{% set s = s ~ s %}" * 40
NESTED = "{% set s = [s, s] %}" * 40


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ request.a + 1 }}", 2),
        (" {{ request.a }} ", 1),
        ("{{ request.a }}!", "1!"),
        ("{{ -request.a }}", -1),
        ("{{- request.a -}}", 1),
        ("{{\n-1\n+ 2\n}}", 1),
        ("{{ 1, 2 }}", [1, 2]),
        ("{{ request }}", {"a": 1, "name": "Ada"}),
        ("is {{ request }}", 'is {"a":1,"name":"Ada"}'),
        ("{{ request.missing|default('none') }}", "none"),
        ("{{ (1, 'x', none, true) }}", [1, "x", None, True]),
        ("{{ request.name|upper ~ request.a }}", "ADA1"),
        ("{{ request.name[1:].title() }}", "Da"),
        ("{% if request.a == 1 and 'x' in 'xy' %}yes{% else %}no{% endif %}", "yes"),
        ("{% for k, v in request.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;name=Ada;"),
        ("{% for x in [1, 2] if x > 1 %}{{ loop.index }}:{{ x }}{% endfor %}", "1:2"),
        ("{% set x, y = 1, 2 %}{{ x + y }}", "3"),
        ("{{ [{'n': 1}, {'n': 3}]|sum('n') }}", 4),
        ("{{ [{'n': 1}, {'n': 3}]|map(attribute='n')|join('-') }}", "1-3"),
        ("{{ ['b', 'a']|sort|join }}", "ab"),
        ("{{ 'a-b'|replace('-', '+') }}", "a+b"),
        ("{{ {'a': 1, 'b': 2} | without('a', 'c') }}", {"b": 2}),
        ("{{ request|tojson(2) }}", '{\n  "a": 1,\n  "name": "Ada"\n}'),
        ("{{ range(3)|list }}", [0, 1, 2]),
        ("{{ 1 }}{{ 2 }}", "12"),
        ("{# nothing #}", ""),
        ("{{ 12|string }}", "12"),
    ],
)
def test_a_template_answers(source: str, expected: Any) -> None:
    assert template(source).render(VALUES) == expected


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{% for i in range(1000) %}{% for j in range(1000) %}{% endfor %}{% endfor %}", "steps"),
        ("{{ range(90000)|list|map('list')|list }}", "steps"),
        ("{{ range(10 ** 9)|list }}", "range() of more than"),
        ("{{ 'a' * 10 ** 9 }}", "a text of more than"),
        ("{{ [1] * 1000 }}", "a list times a number"),
        ("{{ request.a + 10 ** 5000 }}", "a number of more than"),
        ("{% set s = 'aaaaaaaaaa' %}" + DOUBLED, "a text of more than"),
        ("{% set s = 'aaaaaaaaaa' %}" + DOUBLED.replace("s ~ s", "s|replace('a', s)"), "more than"),
        ("{% set s = 'aaaaaaaaaa' %}" + DOUBLED.replace("s ~ s", "[s, s]|join(s)"), "more than"),
        ("{% set s = 'aaaaaaaaaa' %}" + DOUBLED.replace("s ~ s", "s + s"), "a text of more than"),
        ("{% set s = [1] %}" + DOUBLED.replace("s ~ s", "s + s"), "a list of more than"),
        ("{% set s = 1 %}" + NESTED, "steps"),
        ("{% set s = 1 %}" + NESTED.replace("[s, s]", "{'a': s, 'b': (s,)}"), "steps"),
        ("{% for a in range(10) %}{{ 'a' * 1000000 }}{% endfor %}", "it answers more than"),
        ("{{ ''.__class__ }}", "unsafe"),
        ("{{ ''|attr('__class__') }}", "unsafe"),
        ("{{ ['']|map('attr', '__class__')|list }}", "unsafe"),
        ("{{ 'a'.center(9) }}", "not safely callable"),
        ("{{ '{}'.format(1) }}", "not safely callable"),
        ("{{ call() }}", "not safely callable"),
        ("{{ [1].append(2) }}", "unsafe"),
        ("{{ '%9d' % 1 }}", "% on text"),
        ("{{ self }}", "no JSON"),
        ("{{ request.missing }}", "no attribute 'missing'"),
        ("x{{ missing }}", "'missing' is undefined"),
        ("{{ 7 // 0 }}", "ZeroDivisionError"),
        ("{{ 'a' + 1 }}", "TypeError"),
        ("{{ [[1], [2]]|sum }}", "sum of what is no number"),
    ],
)
def test_a_template_may_not(source: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said.replace("(", r"\(").replace(")", r"\)")):
        template(source).render(VALUES)


LIMITS: dict[str, Any] = {
    "MOST_STEPS": 6, "MOST_CHARACTERS": 12, "MOST_SOURCE": 80, "_MOST_DIGITS": 16,
    "_CHARACTERS_OF_STEP": 4, "_MOST_PARTS": 7,
}  # fmt: skip
SIX: dict[str, Any] = {
    "s": "abcdef", "l": [1, 2, 3], "n": 255, "d": {"a": "b"}, "big": [1000, 1000, 1000],
    "seven": {"a": [1, 2, 3], "b": [1]}, "eight": {"a": [1, 2, 3], "b": [1, 2]},
}  # fmt: skip
STEPS = "it takes more than 6 steps"
LONG = "it makes a text of more than 12 characters"
TEXT = "not allowed in a template: a text of more than 12 characters"
BITS = "not allowed in a template: a number of more than 16 bits"


@pytest.mark.parametrize(
    ("most", "answer", "more", "said"),
    [
        ("{% for a in range(6) %}.{% endfor %}", "......", "{{ range(7) }}",
         "range() of more than 6 numbers"),
        ("{% for a in s %}{{ a }}{% endfor %}", "abcdef",
         "{% for a in s ~ 1 %}{% endfor %}", STEPS),
        ("{% for a in l %}{% for b in [] %}{% endfor %}{% endfor %}", "",
         "{% for a in l %}{% for b in [1] %}{% endfor %}{% endfor %}", STEPS),
        ("{{ s * 2 }}", "abcdefabcdef", "{{ s * 3 }}", TEXT),
        ("{{ 2 * s }}", "abcdefabcdef", "{{ 3 * s }}", TEXT),
        ("{{ s + s }}", "abcdefabcdef", "{{ s + s + '' + 'x' }}", TEXT),
        ("{{ s ~ s }}", "abcdefabcdef", "{{ s ~ s ~ 'x' }}", LONG),
        ("{{ s }}{{ s }}", "abcdefabcdef", "{{ s }}{{ s }}.", "it answers more than 12 characters"),
        ("{{ l|join('---') }}", "1---2---3", "{{ l|join('----') }}", LONG),
        ("{{ s|replace('f', 'f23456') }}", "abcdef23456", "{{ s|replace('f', 'f234567') }}", LONG),
        ("{{ l|tojson }}", "[1,2,3]", "{{ big|tojson }}", LONG),
        ("{{ l + l }}", [1, 2, 3] * 2, "{{ l + l + [1] }}",
         "not allowed in a template: a list of more than 6 parts"),
        ("{{ n * n }}", 65025, "{{ n * (n + 1) }}", BITS),
        ("{{ 2 ** 8 }}", 256, "{{ 2 ** 9 }}", BITS),
        ("{{ 4 ** -1 }}", 0.25, "{{ (n * n) ** 1 * 2 }}", BITS),
        ("{{ n * 256.5 }}", 65407.5, "{{ l * 1 }}",
         "not allowed in a template: a list times a number"),
        ("{{ (s ~ s)|length + s|length }}", 18, "{{ (s ~ s)|length + 'abcdefgh'|length }}", STEPS),
        ("{{ {'a': l, 'b': 1} }}", {"a": [1, 2, 3], "b": 1},
         "{{ {'a': l, 'b': 1, 'c': 1} }}", STEPS),
        ("{{ (1, 2)|length }}", 2, "{{ (1, 2)|length + ''|length }}", STEPS),
        ("{{ d.items()|list|length + ''|length }}", 1,
         "{{ d.items()|list|length + 'abcd'|length }}", STEPS),
        ("{{ seven }}", SIX["seven"], "{{ eight }}", "its value has more than 7 parts"),
        ("{# " + "x" * 74 + " #}", "", "{# " + "x" * 75 + " #}", "it is longer than 80 characters"),
    ],
)  # fmt: skip
def test_a_template_may_do_so_much_and_no_more(
    most: str, answer: Any, more: str, said: str
) -> None:
    with mock.patch.multiple(engine, **LIMITS):
        assert Template(most).render(SIX) == answer
        with pytest.raises(TemplateError) as refused:
            Template(more).render(SIX)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ 1 +", "unexpected"),
        ("line\n{% if %}", r"\(line 2\)"),
        ("{% macro x() %}{% endmacro %}", "macro is not allowed here"),
        ("{% include 'x' %}", "include is not allowed here"),
        ("{% block x %}{% endblock %}", "block is not allowed here"),
        ("{% for a in x recursive %}{% endfor %}", "may not call itself"),
        ("{{ 'a'|center(9) }}", "No filter named 'center'"),
        ("{{ _count }}", "not for templates"),
        ("{% set _budget = 1 %}", "not for templates"),
        ("{{ " + "(" * 900 + "1" + ")" * 900 + " }}", "nested too deeply"),
        ("a" * 300_000, "longer than"),
    ],
)
def test_what_is_no_template_is_told(source: str, said: str) -> None:
    with pytest.raises(TemplateError, match=said):
        template(source)


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("request.a == 1", True),
        ("request.a > 1", False),
        ("request.b.c == 'x'", False),
        ("not missing", True),
        ("missing.deeply.so", False),
    ],
)
def test_a_condition_of_what_is_not_there_does_not_hold(source: str, *, holds: bool) -> None:
    assert condition(source).holds(VALUES) is holds


@pytest.mark.parametrize("source", ["1 +", "a" * 300_000, "(" * 900 + ")" * 900])
def test_what_is_no_condition_is_told(source: str) -> None:
    with pytest.raises(TemplateError):
        condition(source)


def test_all_texts_of_a_value_are_templates() -> None:
    value = {"{{ request.name }}": ["{{ request.a }}", "plain", 1, None, {"b": "{{ 'x' }}"}]}
    assert render_json(value, VALUES) == {"Ada": [1, "plain", 1, None, {"b": "x"}]}
    assert not is_template("plain { text }")


def test_problems_have_pointers() -> None:
    value = {"a/b": ["{{ 1", "{{ 1 }}"], "{% x %}": 1}
    assert [pointer for pointer, _ in template_problems(value, "/body")] == [
        "/body/a~1b/0",
        "/body/{% x %}",
    ]
