"""What is proposed for a suite is what makes it answer as recorded."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mockserver.cassettes.files import write_cassette
from mockserver.cli.main import app
from mockserver.errors import MockServerError
from mockserver.model import Cassette, CassetteInfo, Interaction, JsonObject
from tests.recordings import DIRECTORY, interaction

SHOP = "https://shop.example.com/v1"
TOPICS = "https://pubsub.googleapis.com/v1/projects/project-1/topics"
ANN: JsonObject = {"id": "1", "primaryEmail": "ann@example.com", "isAdmin": False,
                   "name": {"givenName": "Ann", "familyName": "Lee"}}  # fmt: skip
MEMBER: JsonObject = {"id": "1", "email": "ann@example.com", "role": "OWNER"}
BASE: JsonObject = {
    "customer": {"id": "C1", "language": "en"},
    "users": [ANN],
    "groups": [{"id": "8", "email": "ops@example.com", "name": "Ops"}],
    "members": {"ops@example.com": [MEMBER]},
    "resources": {"pubsub:v1": {"topics": [{"name": "projects/project-1/topics/a"}]}},
    "shop": {
        "orders": [{"id": "o-1", "size": 1}, {"id": "o-2", "size": 2}],
        "tags": {"new": {"id": "new", "colour": "red"}},
    },
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "suite/apis").mkdir(parents=True)
    (tmp_path / "suite/base").mkdir()
    (tmp_path / "suite/apis/shop.yaml").write_text(
        "api: shop\nhosts: [shop.example.com]\nbase_path: /v1\ncollections:\n"
        "  orders: {key: id}\n  tags: {key: id}\nerrors: {shape: {error: none}}\n"
    )
    (tmp_path / "suite/base/base.json").write_text(json.dumps(BASE))
    return tmp_path / "suite"


def propose(suite: Path, folder: Path, *calls: Interaction, options: tuple[str, ...] = ()) -> str:
    """What the command prints below its tables."""
    write_cassette(Cassette("a", calls, CassetteInfo()), suite.parent / "a.yaml")
    arguments = ["verify", str(suite.parent / "a.yaml"), "--fixtures", str(suite), "--worst", "0"]
    done = CliRunner().invoke(
        app, [*arguments, "--propose", str(folder), *options], catch_exceptions=False
    )
    return done.output.partition("\n1 recording")[2].partition("\n")[2]


def patch(*steps: tuple[str, str, Any]) -> list[JsonObject]:
    return [{"op": kind, "path": path} | ({} if value is None else {"value": value})
            for kind, path, value in steps]  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "steps"),
    [
        ([interaction(f"{SHOP}/orders/o-1", {"id": "o-1", "size": 9})],
         patch(("replace", "/shop/orders/0/size", 9))),
        ([interaction(f"{SHOP}/orders", [{"id": "o-2", "size": 2}, {"id": "o-3", "size": 3}])],
         patch(("add", "/shop/orders/1", {"id": "o-3", "size": 3}),
               ("remove", "/shop/orders/0", None))),
        ([interaction(f"{SHOP}/orders?size=1",
                      [{"id": "o-1", "size": 1}, {"id": "o-4", "size": 1}])],
         patch(("add", "/shop/orders/2", {"id": "o-4", "size": 1}))),
        ([interaction(f"{SHOP}/orders/o-2", {"error": "none"}, status=404)],
         patch(("remove", "/shop/orders/1", None))),
        ([interaction(f"{SHOP}/tags/new", {"id": "new", "colour": "blue"}),
          interaction(f"{SHOP}/tags/old", {"id": "old", "colour": "grey"})],
         patch(("add", "/shop/tags/old", {"id": "old", "colour": "grey"}),
               ("replace", "/shop/tags/new/colour", "blue"))),
        ([interaction(f"{DIRECTORY}/users/ann@example.com",
                      {**ANN, "isAdmin": True, "orgUnitPath": "/"})],
         patch(("replace", "/users/0/isAdmin", True))),
        ([interaction(f"{DIRECTORY}/groups/ops@example.com/members",
                      {"members": [{**MEMBER, "role": "MEMBER"}]})],
         patch(("replace", "/members/ops@example.com/0/role", "MEMBER"))),
        ([interaction(f"{DIRECTORY}/customers/my_customer", {"id": "C1", "language": "de"})],
         patch(("replace", "/customer/language", "de"))),
        ([interaction(f"{TOPICS}/a",
                      {"name": "projects/project-1/topics/a", "labels": {"x": "y"}})],
         patch(("add", "/resources/pubsub:v1/topics/0/labels", {"x": "y"}))),
    ],
)  # fmt: skip
def test_a_proposal_makes_the_suite_answer_as_recorded(
    suite: Path, tmp_path: Path, calls: list[Interaction], steps: list[JsonObject]
) -> None:
    proposed = tmp_path / "proposed"
    assert "captured.patch.json" in propose(suite, proposed, *calls)
    found = json.loads((proposed / "captured.patch.json").read_text())
    assert sorted(found, key=str) == sorted(steps, key=str)
    shutil.copy(proposed / "captured.patch.json", suite / "base/more.patch.json")
    assert propose(suite, tmp_path / "again", *calls).splitlines()[-1] == "nothing is proposed"
    assert not (tmp_path / "again").exists()


def test_what_recordings_read_after_they_wrote_is_not_proposed(suite: Path, tmp_path: Path) -> None:
    order = {"id": "o-1", "size": 5}
    told = propose(
        suite, tmp_path / "proposed",
        interaction(f"{SHOP}/orders/o-1", order, verb="PATCH", body={"size": 5}),
        interaction(f"{SHOP}/orders/o-1", order),
    )  # fmt: skip
    assert told == "nothing is proposed\n"


def test_an_answer_that_was_cut_off_takes_nothing_away(suite: Path, tmp_path: Path) -> None:
    told = propose(suite, tmp_path / "proposed", interaction(f"{SHOP}/orders", b'[{"id": "o-'))
    assert told.splitlines()[-1] == "nothing is proposed"


def test_what_the_suite_holds_in_another_form_is_named(suite: Path, tmp_path: Path) -> None:
    event = {
        "id": {"time": "2026-01-01T00:00:00Z", "uniqueQualifier": "1", "applicationName": "login"},
        "actor": {"email": "ann@example.com"},
        "events": [{"type": "login", "name": "login_success"}],
    }
    data = {"users": [ANN], "auditEvents": {"kind": "audit#activities", "items": [event]}}
    (suite / "base/base.json").write_text(json.dumps(data))
    other = {**event, "events": [{"type": "login", "name": "login_failure"}]}
    url = "https://admin.googleapis.com/admin/reports/v1/activity/users/all/applications/login"
    told = propose(suite, tmp_path / "out", interaction(url, {"items": [other]}))
    assert told.splitlines()[-1].endswith("in another form: auditEvents/2026-01-01T00:00:00Z")


def test_what_is_new_is_redacted(suite: Path, tmp_path: Path) -> None:
    topic = {"name": "projects/acme-prod/topics/b", "labels": {"by": "kim@acme.io"}}
    call = interaction("https://pubsub.googleapis.com/v1/projects/acme-prod/topics/b", topic)
    propose(suite, tmp_path / "proposed", call)
    text = (tmp_path / "proposed/captured.patch.json").read_text()
    assert "acme" not in text
    assert "topics/b" in text


def test_mistakes(suite: Path, tmp_path: Path) -> None:
    call = interaction(f"{SHOP}/orders/o-1", {"id": "o-1", "size": 9})
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    with pytest.raises(MockServerError, match="full is there already"):
        propose(suite, tmp_path / "full", call)
    with pytest.raises(MockServerError, match="changes a suite's data"):
        CliRunner().invoke(app, ["verify", str(tmp_path / "a.yaml"), "--propose", "x"],
                           catch_exceptions=False)  # fmt: skip
