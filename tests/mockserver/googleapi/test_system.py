import pytest

from mockserver.googleapi import ApiError, SystemParameters
from mockserver.googleapi.binding import (
    read_system_parameters,
    refuse_unsupported,
    system_parameter_name,
)


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
