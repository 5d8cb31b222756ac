"""The search language of Drive: `name contains 'plan' and not trashed = true`.

From the guide on searching for files. `contains` finds the beginnings of words in names, the
beginning of a MIME type, and words anywhere in `fullText`, which is the name, the description and
`contentHints.indexableText`; whether the live API finds the same words in all of them is not
verified.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from mockserver.collections import LAST, Index, Store, WordIndex, text_of_lines
from mockserver.collections.places import value_at
from mockserver.collections.selections import AllOf, ByIndex, ByWords, Selection, Without
from mockserver.googleapi import (
    ApiError,
    Comparison,
    FilterError,
    Leaf,
    Text,
    invalid,
    tree_test,
)
from mockserver.googleapi.filter_trees import ORDERS, Value, has_phrase, tree_selection, words_of
from mockserver.googleapi.filters import QUOTED, FilterDialect, parse, unescape
from mockserver.googleapi.list_rules import (
    Ranked,
    SentParameter,
    UnservedError,
    epoch_seconds,
    later_times,
    marked,
)
from mockserver.model import Json, JsonObject

Test = Callable[[JsonObject], bool]

_WORD = r"[\w.+-]+"
_END = r"(?![\w.+-])"
_PROPERTY = re.compile(
    rf"""\{{\s*(?:key|'key'|"key")\s*=\s*({QUOTED})\s*(?i:and){_END}"""
    rf"""\s*(?:value|'value'|"value")\s*=\s*({QUOTED})\s*\}}""",
    re.DOTALL,
)
DIALECT = FilterDialect(
    terms={
        "keyword": rf"(?i:not){_END}",
        "sign": r"[()]",
        "word": rf"sharedWithMe(?=\s*(?:\)|\Z|(?i:and|or){_END}))",
        "name": rf"(?:{QUOTED})(?=\s*(?i:in)\s+{_WORD})|{_WORD}+(?!\s*(?i:in){_END})",
    },
    after_name={"operator": rf"<=|>=|!=|=|<|>|{_WORD}"},
    after_operator={"word": rf"{QUOTED}|{_WORD}|{_PROPERTY.pattern.replace('({', '(?:{')}"},
    after_term={"keyword": rf"(?i:and|or){_END}", "sign": r"\)"},
    implicit_and=False,
    or_first=False,
    empty_groups=False,
)
"""AND binds tighter than OR; `sharedWithMe` alone stands for `sharedWithMe = true`.

What stands before `in` is a value in quotes, and what stands behind it a field.
"""
_LONGEST = 10_000
_TEXTS = {"name": ("name",), "title": ("title",), "mimeType": ("mimeType",)} | {
    "shortcutDetails.targetId": ("shortcutDetails", "targetId"),
    "visibility": ("visibility",),
}
_TIMES = frozenset({
    "modifiedTime", "viewedByMeTime", "createdTime", "sharedWithMeTime", "trashedTime",
    "modifiedDate", "createdDate", "lastViewedByMeDate",
})  # fmt: skip
_PEOPLE = {"owners": ("owner",), "writers": ("owner", "organizer", "fileOrganizer", "writer")}
_COUNTS = frozenset({"memberCount", "organizerCount"})
_KNOWN_ELSEWHERE = frozenset({"labels", "sharedWithMe"})


def bad_query() -> ApiError:
    """400 for a query that is not in the language."""
    return invalid("Invalid Value", location="q")


def drive_test(text: str, email: str = "") -> Test:
    """The test that a query puts to a file or a shared drive.

    Args:
        text: The query.
        email: Who asks, for `'me' in owners`.

    Raises:
        ApiError: 400; it is not in the language.
        UnservedError: It asks for what files do not tell.
    """
    if not text.strip() or len(text) > _LONGEST:
        raise bad_query()
    try:
        tree = parse(text, DIALECT, partial(_leaf_test, email))
    except FilterError as error:
        raise bad_query() from error
    return tree_test(tree, lambda test: test)


def by_query(sent: SentParameter) -> Selection:
    """The files that a query means; those of a folder that it names are found by an index.

    Raises:
        ApiError: 400; it is not in the language.
        UnservedError: It asks for what files do not tell.
    """
    text, email = str(sent.value), sent.call.caller.email
    drive_test(text, email)
    tree = parse(text, DIALECT, lambda leaf: leaf)
    leaf_test, look_up = partial(_leaf_test, email), partial(_look_up, sent, email)
    return tree_selection(tree, sent.table, leaf_test, look_up, f"q {text}")


def _look_up(sent: SentParameter, email: str, leaf: Leaf) -> Selection | None:
    """The files that a leaf means, where an index knows exactly those."""
    table = sent.table
    if not isinstance(leaf, Comparison):
        return _shared_with(table, email)
    name, operator, value = leaf.field, leaf.operator.lower(), leaf.text
    if operator == "in" and value == "parents":
        return ByIndex(table, BY_FOLDER, [(leaf.path, (*leaf.path, LAST))], words=f"in {name}")
    if operator == "in":
        wanted = (email if name == "me" else name).casefold()
        return ByIndex(table, _BY_PERSON[value], [((wanted,), (wanted, LAST))], words=value)
    if name in _MARKS:
        is_shared = name == "sharedWithMe"
        found = _shared_with(table, email) if is_shared else marked(table, _MARKS[name], name)
        return found if (value == "true") is (operator == "=") else Without(table, found)
    if name == LATEST.name and operator not in {"=", "!="}:
        return _changed(table, operator, _moment(value))
    if name in _TIMES and operator not in {"=", "!="}:
        return sent.field(name).bounded(table, operator, _moment(value))
    return _look_up_text(sent, name, operator, value)


def _shared_with(table: Store, email: str) -> Selection:
    """The files that were shared, without those that the caller owns."""
    shared = marked(table, _MARKS["sharedWithMe"], "sharedWithMe")
    own = [((email.casefold(),), (email.casefold(), LAST))]
    owned = ByIndex(table, _BY_PERSON["owners"], own, words="owners")
    return AllOf([shared, Without(table, owned)]) if email else shared


def _is_shared(email: str, row: JsonObject) -> bool:
    """Whether a file was shared, and is not the caller's own."""
    return "sharedWithMeTime" in row and email not in _people_of(row, "owners")


def _look_up_text(sent: SentParameter, name: str, operator: str, value: str) -> Selection | None:
    if name in _WORDS and operator == "contains":
        return _with_words(sent.table, _WORDS[name], name, value)
    if name not in _TEXTS:
        return None
    field, wanted = sent.field(".".join(_TEXTS[name])), value.casefold()
    if operator == "contains":
        return field.starting(sent.table, wanted, folded=True) if wanted else None
    if operator == "=":
        return field.equal(sent.table, [wanted], absent=not wanted, folded=True)
    return field.unequal(sent.table, wanted, folded=True)


def _with_words(table: Store, index: WordIndex, name: str, value: str) -> Selection | None:
    """The files with some words: side by side in a name, or in quotes; else each by itself."""
    words = words_of(value)
    if not words:
        return None
    if name == "fullText" and not _is_phrase(value):
        return AllOf([ByWords(table, index, f" {word}") for word in dict.fromkeys(words)])
    return ByWords(table, index, f" {' '.join(words)}{' ' if name == 'fullText' else ''}")


def _leaf_test(email: str, leaf: Leaf) -> Test:
    if isinstance(leaf, Text) and leaf.value == Value("sharedWithMe", quoted=False):
        return partial(_is_shared, email.casefold())
    if not isinstance(leaf, Comparison):
        raise bad_query()
    name, operator, value = leaf.field, leaf.operator, leaf.literal
    if leaf.operator.lower() == "in":
        return _membership_test(value.text, name, email)
    pair = None if value.quoted else _PROPERTY.match(value.text)
    if name == "sharedWithMe" and operator in {"=", "!="} and value.text in {"true", "false"}:
        wanted_mark, own = (value.text == "true") is (operator == "="), email.casefold()
        return lambda row: _is_shared(own, row) is wanted_mark
    if pair is None and operator != "has":
        return _comparison_test(name, operator, value.text)
    if pair is None or operator != "has" or name not in {"properties", "appProperties"}:
        raise bad_query()
    key, wanted = (unescape(each[1:-1]) for each in pair.groups())
    return lambda row: bool(value_at(row, (name, key)) == wanted)


def _membership_test(name: str, value: str, email: str) -> Test:
    if name == "parents":
        return lambda row: value in _parents_of(row)
    if name in {*_PEOPLE, "readers"}:
        wanted = email if value == "me" else value
        if not wanted:
            raise UnservedError("the caller is anonymous: nobody is 'me'")
        return lambda row: wanted.casefold() in _people_of(row, name)
    if name in _KNOWN_ELSEWHERE:
        raise UnservedError(f"{name} are not told by the files of a snapshot")
    raise bad_query()


def _comparison_test(name: str, operator: str, value: str) -> Test:
    if name == "fullText" and operator == "contains":
        return _full_text_test(value)
    if name in _TEXTS:
        return _text_test(_TEXTS[name], name, operator, value)
    if name in _MARKS and operator in {"=", "!="} and value in {"true", "false"}:
        test_mark, wanted = _MARKS[name], (value == "true") is (operator == "=")
        return lambda row: test_mark(row) is wanted
    if name in _TIMES and operator in ORDERS:
        return _time_test(name, operator, value)
    if name in _COUNTS and operator in ORDERS and value.isdecimal():
        test, count = ORDERS[operator], float(value)
        return lambda row: name in row and bool(test(float(row[name]), count))
    raise bad_query()


def _text_test(path: tuple[str, ...], name: str, operator: str, value: str) -> Test:
    wanted = value.casefold()
    if operator in {"=", "!="}:
        # names are told apart by their letters alone, not by their case
        same = operator == "="
        return lambda row: (str(value_at(row, path) or "").casefold() == wanted) is same
    if operator != "contains" or name in {"visibility", "shortcutDetails.targetId"}:
        raise bad_query()
    if name == "mimeType":
        return lambda row: str(value_at(row, path) or "").casefold().startswith(wanted)
    asked = words_of(value)

    def test(row: JsonObject) -> bool:
        text = str(value_at(row, path) or "")
        return (
            has_phrase(words_of(text), asked, prefix=True) if asked else wanted in text.casefold()
        )

    return test


def _is_phrase(value: str) -> bool:
    return value.startswith('"') and value.endswith('"') and len(value) > 1


def _full_text_test(value: str) -> Test:
    phrase = _is_phrase(value)
    wanted = words_of(value)

    def test(row: JsonObject) -> bool:
        words = [words_of(str(value_at(row, place) or "")) for place in _SEARCHED]
        if phrase:
            return any(has_phrase(each, wanted) for each in words)
        every = [word for each in words for word in each]
        return all(any(word.startswith(one) for word in every) for one in wanted)

    return test


def _words_at(*places: tuple[str, ...]) -> WordIndex:
    """The words of some fields of files."""
    return WordIndex(
        lambda row: text_of_lines(
            " ".join(words_of(str(value_at(row, place) or ""))) for place in places
        )
    )


_SEARCHED = (("name",), ("title",), ("description",), ("contentHints", "indexableText"))
_WORDS = {name: _words_at((name,)) for name in ("name", "title")} | {
    "fullText": _words_at(*_SEARCHED)
}


def _moment(value: str) -> float:
    """A time in seconds since 1970; ApiError 400 for none."""
    try:
        # a time without a zone is one of UTC
        text = value if re.search(r"(?:[Zz]|[+-]\d\d:?\d\d)$", value[10:]) else f"{value}Z"
        return epoch_seconds(text if "T" in value else value)
    except ValueError as error:
        raise bad_query() from error


LATEST = Ranked(
    "modifiedTime",
    lambda row: (1, epoch_seconds(row["modifiedTime"])) if row.get("modifiedTime") else (0, 0.0),
    timed=True,
    later=lambda rank, seconds: later_times(rank, seconds) if rank[0] else rank,
)
"""When files were changed, which is the order of lists, too."""


def _changed(table: Store, operator: str, moment: float) -> ByIndex:
    """The files that were changed on one side of a moment; in the order of lists already."""
    edge = (1, moment, LAST) if operator in {">", "<="} else (1, moment)
    bounds = ((1,), edge) if operator.startswith("<") else (edge, (2,))
    return ByIndex(table, LATEST.values, [bounds], words=f"modifiedTime {operator} {moment}")


def _time_test(name: str, operator: str, value: str) -> Test:
    limit, test = _moment(value), ORDERS[operator]
    return lambda row: bool(row.get(name) and test(epoch_seconds(row[name]), limit))


def _flag_of(name: str, row: JsonObject) -> bool:
    """A flag of a file; version 2 has them among its labels."""
    labels = row.get("labels")
    return bool(row.get(name) or (isinstance(labels, dict) and labels.get(name)))


_MARKS: Mapping[str, Test] = {
    **{name: partial(_flag_of, name) for name in ("trashed", "starred", "hidden")},
    "sharedWithMe": lambda row: "sharedWithMeTime" in row,
}
"""What is true or false of a file."""


def _parents_of(row: JsonObject) -> list[Json]:
    found = row.get("parents") or ["root"]
    return [each.get("id") if isinstance(each, dict) else each for each in found]


BY_FOLDER = Index(lambda _, row: dict.fromkeys((str(each),) for each in _parents_of(row)))
"""Files by the ids of the folders that they are in."""


def _people_of(row: JsonObject, name: str) -> set[str]:
    """Addresses of those who own, may write or may read a file."""
    roles = _PEOPLE.get(name, ())
    found = [each.get("emailAddress") for each in row.get("owners") or ()]
    if name != "owners":
        found += [
            each.get("emailAddress")
            for each in row.get("permissions") or ()
            if not roles or each.get("role") in roles
        ]
    return {str(each).casefold() for each in found if each}


_BY_PERSON = {
    name: Index(lambda _, row, name=name: ((each,) for each in _people_of(row, name)))  # type: ignore[misc]
    for name in (*_PEOPLE, "readers")
}
"""Files by the addresses of people."""
