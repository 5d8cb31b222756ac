import pytest

from mockserver.googleapi import Parameter
from mockserver.googleapi.routing import Template, parse_template


def parsed(path: str, **patterns: str) -> Template:
    return parse_template(
        path, {name: Parameter(name, "path", pattern=text) for name, text in patterns.items()}
    )


@pytest.mark.parametrize(
    ("pattern", "segments"),
    [
        ("^a/[^/]+/b/[^/]+$", ("a", "*", "b", "*")),
        ("^.*$", ("**",)),
        ("^a/.+$", ("a", "**")),
        ("", ("**",)),
        ("^[^/]+/[^/]+$", ("*", "*")),
        ("^a/[^/]+/locations/-$", ("a", "*", "locations", "-")),
        (r"^a\.b/[^/]+$", ("a.b", "*")),
        ("folders/[0-9]{0,20}", ("folders", "*")),
        ("a/([a-z](?:[-a-z0-9]{0,61}[a-z0-9])?|[1-9][0-9]{0,19})", ("a", "*")),
        ("[a-z](?:[-a-zA-Z0-9/]{0,255}[a-zA-Z0-9])?", ("**",)),
    ],
    ids=str,
)
def test_a_pattern_says_which_segments_a_name_covers(
    pattern: str, segments: tuple[str, ...]
) -> None:
    assert parsed("v1/{+name}", name=pattern).segments == ("v1", *segments)


def test_a_plain_parameter_is_one_segment_whatever_its_pattern() -> None:
    assert parsed("a/{b}/c", b="(x/)?[0-9]+").segments == ("a", "*", "c")


@pytest.mark.parametrize(
    ("path", "verb"),
    [("v1/{+name}:resolve", "resolve"), ("v1/users:batch", "batch"), ("v1/{a}", ""), ("a:b/c", "")],
    ids=str,
)
def test_a_custom_verb_stands_behind_the_last_segment(path: str, verb: str) -> None:
    assert parsed(path, name="^a/[^/]+$").verb == verb


def test_captures_behind_any_number_of_segments_count_from_the_end() -> None:
    template = parsed("v1/{a}/{+all}/x/{b}", all="^.*$")
    path = ["v1", "1", "2", "3", "x", "4"]
    found = {each.name: path[each.start : each.stop] for each in template.captures}
    assert found == {"a": ["1"], "all": ["2", "3"], "b": ["4"]}


def test_a_name_of_several_segments_keeps_escaped_slashes() -> None:
    kept = {
        each.name: each.keep_slash
        for each in parsed("{+name}/{+all}/{id}", name="^a/[^/]+$", all="^.*$").captures
    }
    assert kept == {"name": True, "all": False, "id": False}


def test_only_one_parameter_may_cover_any_number_of_segments() -> None:
    with pytest.raises(ValueError, match="only one parameter"):
        parsed("{+a}/{+b}")
