from collections.abc import Mapping
from contextlib import suppress
from typing import Literal
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import (
    ApiError,
    BoundParameters,
    Dialect,
    Method,
    ParameterBinder,
    SystemParameters,
    bind_system_parameters,
    parse_document,
)
from mockserver.googleapi.binding import (
    query_pairs,
    read_system_parameters,
    refuse_unsupported,
    system_parameter_name,
)
from mockserver.model import JsonObject, Profile

Dialects = Literal["one_platform", "legacy"]


def query(kind: str = "string", form: str = "", **more: object) -> JsonObject:
    return {"type": kind, "format": form, "location": "query", **more}


PARAMETERS: JsonObject = {
    "name": {"type": "string", "location": "path", "required": True, "pattern": "^a/[^/]+$"},
    "app": {"type": "string", "location": "path", "pattern": "(chrome)|(admin)"},
    "filter": query(),
    "pageSize": query("integer", "int32", minimum="1", maximum="500"),
    "startTime": query("string", "google-datetime"),
    "showDeleted": query("boolean"),
    "since": query("string", "int64"),
    "names": query(repeated=True),
    "interval.endTime": query(),
    "orderBy": query(enum=["email", "name"]),
    "key": query(),
}


def method(**parameters: JsonObject) -> Method:
    raw = {"id": "x.list", "httpMethod": "GET", "path": "v1", "parameters": parameters}
    document = {"name": "x", "version": "v1", "rootUrl": "https://x.googleapis.com/"}
    return parse_document({**document, "methods": {"list": raw}}).methods["x.list"]


LIST = method(**{name: spec for name, spec in PARAMETERS.items() if name not in {"name", "key"}})


def bind(
    text: str,
    profile: Profile = "google",
    dialect: Dialect = "one_platform",
    captures: Mapping[str, str] | None = None,
) -> BoundParameters:
    return ParameterBinder(LIST, captures or {}, profile, dialect).bind(text)


def refused(
    text: str,
    profile: Profile = "google",
    dialect: Dialect = "one_platform",
    captures: Mapping[str, str] | None = None,
) -> ApiError:
    with pytest.raises(ApiError) as caught:
        bind(text, profile, dialect, captures)
    assert caught.value.status == 400
    return caught.value


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("", {}),
        ("filter=a%20b+c", {"filter": "a b c"}),
        ("filter=", {"filter": ""}),
        ("pageSize=2", {"pageSize": 2}),
        ("page_size=2", {"pageSize": 2}),
        ("showDeleted=true", {"showDeleted": True}),
        ("since=5", {"since": "5"}),
        ("names=a&names=b", {"names": ["a", "b"]}),
        ("names=a", {"names": ["a"]}),
        ("interval.endTime=x", {"interval.endTime": "x"}),
        ("interval.end_time=x", {"interval.endTime": "x"}),
        ("orderBy=unheard_of", {"orderBy": "unheard_of"}),
        ("startTime=2026-01-01T01:00:00%2B01:00", {"startTime": "2026-01-01T00:00:00Z"}),
    ],
    ids=str,
)
def test_values_are_decoded_and_converted(text: str, params: JsonObject) -> None:
    bound = bind(text)
    assert (bound[0], bound[2]) == (params, ())


def test_captures_are_parameters() -> None:
    assert bind("", captures={"app": "chrome", "other": "x"})[0] == {"app": "chrome"}


def test_system_parameters_are_apart() -> None:
    bound = bind("$alt=json%3Benum-encoding%3Dint&prettyPrint=false&fields=a&filter=f&uploadType=x")
    assert bound[0] == {"filter": "f"}
    assert (bound[1].pretty_print, bound[1].fields) == (False, "a")
    assert bound[1].enum_encoding_int
    assert bound[2] == ("uploadType",)


def test_a_parameter_of_the_method_goes_before_a_system_parameter_of_its_name() -> None:
    bound = ParameterBinder(method(key=query()), {}, "google", "one_platform").bind("key=mine")
    assert (bound[0], bound[1].key) == ({"key": "mine"}, "")


def test_an_unsupported_output_format_is_refused() -> None:
    assert "Unsupported output format" in refused("alt=media").message


def test_system_parameters_are_read_of_a_query_that_cannot_be_bound() -> None:
    with pytest.raises(ApiError):
        bind("pageSize=x&prettyPrint=false&alt=media")
    assert bind_system_parameters(
        LIST, "pageSize=x&prettyPrint=false&alt=media"
    ) == SystemParameters(pretty_print=False)


@pytest.mark.parametrize(
    ("profile", "dialect", "accepted"),
    [
        ("google", "one_platform", False),
        ("google", "legacy", True),
        ("google", "oauth", True),
        ("strict", "legacy", False),
        ("strict", "one_platform", False),
        ("lenient", "one_platform", True),
        ("lenient", "legacy", True),
    ],
    ids=str,
)
def test_unknown_parameters_are_refused_or_reported(
    profile: Profile, dialect: Dialect, accepted: bool
) -> None:
    if accepted:
        assert bind("x=1&x=2", profile, dialect)[2] == ("x",)
    else:
        assert refused("x=1", profile, dialect).message == (
            'Invalid JSON payload received. Unknown name "x": Cannot bind query parameter. '
            "Field 'x' could not be found in request message."
        )


def test_the_older_apis_do_not_know_snake_case() -> None:
    bound = bind("page_size=2", dialect="legacy")
    assert (bound[0], bound[2]) == ({}, ("page_size",))
    assert bind("page_size=2", "lenient", "legacy")[0] == {"pageSize": 2}


def test_a_path_parameter_is_not_taken_from_the_query() -> None:
    assert bind("app=chrome", dialect="legacy")[2] == ("app",)


@pytest.mark.parametrize("dialect", ["one_platform", "legacy"])
def test_a_value_of_the_wrong_type_is_refused(dialect: Dialects) -> None:
    error = refused("pageSize=abc", dialect=dialect)
    assert error.message == "Invalid value at 'page_size' (TYPE_INT32), \"abc\""
    assert error.details[0]["fieldViolations"][0]["field"] == "page_size"


def test_lenient_ignores_what_it_cannot_read() -> None:
    bound = bind("pageSize=abc&pageSize=x&filter=f", "lenient")
    assert (bound[0], bound[2]) == ({"filter": "f"}, ("pageSize",))


def test_everything_wrong_is_said_at_once() -> None:
    assert refused("pageSize=abc&x=1").message.count("\n") == 1


@pytest.mark.parametrize("text", ["501", "0"])
def test_the_older_apis_refuse_what_is_out_of_range(text: str) -> None:
    error = refused(f"pageSize={text}", dialect="legacy")
    assert error.message == f"Invalid value '{text}'. Values must be within the range: [1, 500]"
    assert (error.reason, error.location) == ("invalidParameter", "pageSize")


def test_the_older_apis_refuse_what_does_not_match_the_pattern() -> None:
    error = refused("", dialect="legacy", captures={"app": "nope"})
    assert error.message == (
        "Invalid value 'nope'. Values must match the following regular expression: "
        "'(chrome)|(admin)'"
    )
    assert error.location == "app"


@pytest.mark.parametrize(
    ("profile", "dialect"),
    [("google", "one_platform"), ("lenient", "legacy"), ("lenient", "one_platform")],
    ids=str,
)
def test_elsewhere_range_and_pattern_are_left_to_the_handler(
    profile: Profile, dialect: Dialect
) -> None:
    bound = bind("pageSize=501", profile, dialect, {"app": "nope"})
    assert bound[0] == {"pageSize": 501, "app": "nope"}


def test_strict_holds_to_range_pattern_and_enum_everywhere() -> None:
    message = refused("pageSize=501&orderBy=nope", "strict", captures={"app": "nope"}).message
    assert message.splitlines() == [
        "Invalid value 'nope'. Values must match the following regular expression: "
        "'(chrome)|(admin)'",
        "Invalid value '501'. Values must be within the range: [1, 500]",
        "Invalid string value: 'nope'. Allowed values: [email, name]",
    ]
    assert bind("orderBy=email", "strict")[0] == {"orderBy": "email"}


@pytest.mark.parametrize("dialect", ["one_platform", "legacy"])
def test_a_missing_required_parameter_is_named(dialect: Dialects) -> None:
    needy = method(customerId=query(required=True), name=PARAMETERS["name"])
    with pytest.raises(ApiError) as caught:
        ParameterBinder(needy, {"name": "a/b"}, "google", dialect).bind("")
    assert caught.value.message == "Missing required parameter: customerId"
    if dialect == "legacy":
        assert (caught.value.reason, caught.value.location) == ("required", "customerId")


def test_a_required_parameter_that_cannot_be_read_is_refused_once() -> None:
    needy = method(size=query("integer", "int32", required=True))
    with pytest.raises(ApiError) as caught:
        ParameterBinder(needy, {}, "google", "legacy").bind("size=x")
    assert caught.value.message == "Invalid value at 'size' (TYPE_INT32), \"x\""


def test_a_pattern_with_an_anchor_is_the_router_s_business() -> None:
    named = method(name=PARAMETERS["name"])
    bound = ParameterBinder(named, {"name": "a/b/c"}, "strict", "legacy").bind("")
    assert bound[0] == {"name": "a/b/c"}


def test_of_a_parameter_sent_twice_the_older_apis_take_the_last() -> None:
    bound = bind("filter=a&filter=b", dialect="legacy")
    assert (bound[0], bound[2]) == ({"filter": "b"}, ("filter",))


@pytest.mark.parametrize("profile", ["google", "strict"])
def test_the_newer_apis_refuse_a_parameter_sent_twice(profile: Profile) -> None:
    assert refused("filter=a&filter=b", profile).message == (
        'Invalid JSON payload received. Unknown name "filter": '
        "Proto field is not repeating, cannot start list."
    )


@given(st.text(), st.sampled_from(["lenient", "google", "strict"]))
def test_any_query_string_is_bound_or_refused(text: str, profile: Profile) -> None:
    with suppress(ApiError):
        assert bind(text, profile)[0].keys() <= LIST.parameters.keys()


def test_nothing_sent_means_json_printed_for_people() -> None:
    assert read_system_parameters({}) == SystemParameters(alt="json", pretty_print=True)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("alt", "alt"),
        ("$alt", "alt"),
        ("prettyPrint", "pretty_print"),
        ("$prettyPrint", "pretty_print"),
        ("fields", "fields"),
        ("$fields", "fields"),
        ("oauth_token", "access_token"),
        ("$.xgafv", "xgafv"),
        ("$userProject", "user_project"),
        ("uploadType", ""),
        ("$trace", ""),
        ("customer", None),
        ("$filter", None),
    ],
    ids=str,
)
def test_system_parameters_are_known_by_all_their_names(name: str, attribute: str | None) -> None:
    assert system_parameter_name(name) == attribute


@pytest.mark.parametrize(
    ("text", "pretty"),
    [("true", True), ("false", False), ("False", False), ("0", False), ("", True), ("x", True)],
    ids=repr,
)
def test_printing_for_people_can_be_refused(text: str, pretty: bool) -> None:
    assert read_system_parameters({"pretty_print": text}).pretty_print is pretty


def test_enums_may_be_asked_for_as_numbers() -> None:
    assert read_system_parameters({"alt": "json;enum-encoding=int"}).enum_encoding_int
    assert not read_system_parameters({"alt": "json"}).enum_encoding_int


def test_everything_else_is_handed_on() -> None:
    sent = {"fields": "a", "key": "k", "access_token": "t", "quota_user": "q", "xgafv": "2"}
    system = read_system_parameters(sent | {"user_project": "p"})
    assert {name: getattr(system, name) for name in sent} == sent
    assert system.user_project == "p"


@pytest.mark.parametrize(
    ("sent", "location"),
    [({"alt": "media"}, "alt"), ({"alt": "proto"}, "alt"), ({"callback": "f"}, "callback")],
    ids=str,
)
def test_answers_other_than_json_are_refused(sent: dict[str, str], location: str) -> None:
    with pytest.raises(ApiError) as caught:
        refuse_unsupported(sent)
    assert (caught.value.status, caught.value.location) == (400, location)
    assert caught.value.reason == "invalidParameter"


@given(st.lists(st.text("ab=&%+2 \u00e4", max_size=6), max_size=4).map("&".join))
def test_pairs_of_a_query_are_those_of_the_library(text: str) -> None:
    assert query_pairs(text) == parse_qsl(text, keep_blank_values=True)
