"""Forms, their items and how they are published, as a client meets them."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mockserver.model import JsonObject, SessionSpec
from mockserver.testing import EmulatorTransport

FORMS = "https://forms.googleapis.com/v1/forms"
TEXT: JsonObject = {"questionItem": {"question": {"textQuestion": {}}}}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(transport=EmulatorTransport(spec=SessionSpec())) as made:
        made.headers["Authorization"] = "Bearer t"
        yield made


@pytest.fixture
def form(client: httpx.Client) -> str:
    return str(client.post(FORMS, json={"info": {"title": "Survey"}}).json()["formId"])


def change(client: httpx.Client, form: str, *requests: JsonObject, **more: Any) -> httpx.Response:
    return client.post(f"{FORMS}/{form}:batchUpdate", json={"requests": requests, **more})


def item(title: str, index: int = 0) -> JsonObject:
    return {"createItem": {"item": {"title": title, **TEXT}, "location": {"index": index}}}


def test_items_are_made_moved_changed_and_deleted(client: httpx.Client, form: str) -> None:
    places = {"originalLocation": {"index": 0}, "newLocation": {"index": 2}}
    named = {"info": {"title": "New"}, "updateMask": "title"}
    quiz = {"settings": {"quizSettings": {"isQuiz": True}}, "updateMask": "quizSettings.isQuiz"}
    answer = change(
        client, form, item("a"), item("b", 1), item("c", 2), {"moveItem": places},
        {"updateItem": {"item": {"title": "B"}, "location": {"index": 0}, "updateMask": "title"}},
        {"deleteItem": {"location": {"index": 1}}}, {"updateFormInfo": named},
        {"updateSettings": quiz}, includeFormInResponse=True,
    ).json()  # fmt: skip
    told = answer["form"]
    assert [each["title"] for each in told["items"]] == ["B", "a"]
    assert answer["replies"][0]["createItem"]["questionId"]
    assert (told["info"]["title"], told["settings"]["quizSettings"]["isQuiz"]) == ("New", True)
    assert client.get(f"{FORMS}/{form}").json() == told
    control = {"requiredRevisionId": "other"}
    assert change(client, form, item("x"), writeControl=control).status_code == 400


def test_a_form_is_a_file_and_is_published(client: httpx.Client, form: str) -> None:
    file = client.get(f"https://www.googleapis.com/drive/v3/files/{form}").json()
    assert file["mimeType"] == "application/vnd.google-apps.form"
    state = {"isPublished": False, "isAcceptingResponses": True}
    for accepts, status in ((True, 400), (False, 200)):
        body = {"publishSettings": {"publishState": {**state, "isAcceptingResponses": accepts}}}
        assert client.post(f"{FORMS}/{form}:setPublishSettings", json=body).status_code == status
    assert client.get(f"{FORMS}/none").status_code == 404
    assert client.get(f"{FORMS}/{form}/responses").json() == {}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (item("a", 4), "is not in the form"),
        ({"createItem": {"item": TEXT}}, "index must be set"),
        ({"createItem": {"item": {"title": "a"}, "location": {"index": 0}}}, "exactly one of"),
        ({"updateFormInfo": {"info": {"title": "a"}}}, "At least one field"),
        ({"updateFormInfo": {"info": {}, "updateMask": "title"}}, "title of the form must be set"),
    ],
)
def test_a_request_that_cannot_be_is_refused(
    client: httpx.Client, form: str, request_: JsonObject, words: str
) -> None:
    answer = change(client, form, request_)
    assert (answer.status_code, words in answer.text) == (400, True), answer.text


@pytest.mark.parametrize("body", [{}, {"info": {"title": "a", "description": "b"}}])
def test_a_new_form_has_a_title_alone(client: httpx.Client, body: JsonObject) -> None:
    assert client.post(FORMS, json=body).status_code == 400
