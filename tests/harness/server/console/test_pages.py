import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from harness.model import Calibration, ForkOrigin, Opinion
from harness.server import Settings
from harness.storage import RunFolder, save_calibration
from mockserver.model import Journal
from tests.harness.records import call, entry, record, reply
from tests.harness.server.conftest import Api
from tests.harness.server.console.conftest import PAGE, Markup, page, stored_console
from tests.runfolders import stored_run

GOLDEN = Path(__file__).with_name("pages.golden.txt")
"""Pages, `> address`, and below each what can be read on it and where its links lead."""


def _shown(console: Api) -> str:
    lines = []
    for address in re.findall(r"^> (.+)", GOLDEN.read_text(encoding="utf-8"), re.MULTILINE):
        found = page(console, address)
        assert found.harmful() == []
        text = re.sub(r"/\S*/(?=suites/|runs/)", "", " ".join(found.text.split()))
        lines += [f"> {address}", text, " ".join(found.links()), ""]
    return "\n".join(lines)


def test_pages_show_what_is_written_down(console: Api) -> None:
    """`python -m tests.harness.server.console.test_pages` writes them anew."""
    assert _shown(console) == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("address", "status", "text"),
    [
        ("/nowhere", 404, "there is no such page"),
        ("/suites/ofice", 404, "did you mean"),
        ("/runs/9", 404, "no run '9'"),
        ("/runs/..", 404, "no run '..'"),
        ("/runs/2/trials/T-001/9", 404, "no decided trial 9"),
        ("/runs/2/trials/T-009/1", 404, "no decided trial 1"),
        ("/runs/2/trials/T-001/one", 404, "no trial 'one'"),
        ("/runs/3/trials/T-001/1", 404, "no decided trial"),
        ("/runs?agnet=null", 422, "agnet"),
        ("/suites/office?page=0", 422, "page"),
        ("/compare?baseline=1&candidate=3", 409, "no valid trial"),
        ("/compare/trials?case=T-001", 422, "left"),
    ],
)
def test_what_cannot_be_shown_says_why(console: Api, address: str, status: int, text: str) -> None:
    found = page(console, quote(address, safe="/?=&").replace("..", "%2e%2e"), status)
    assert text in found.text
    assert found.harmful() == []


def test_who_asks_for_no_page_is_answered_in_json(console: Api) -> None:
    assert console.get("/nowhere").json()["error"]["status"] == 404


def test_every_link_of_a_page_leads_somewhere(console: Api) -> None:
    seen, waiting = set[str](), ["/"]
    while waiting:
        address = waiting.pop()
        if address in seen or address.startswith("#"):
            continue
        seen.add(address)
        answer = console.get(address, headers=PAGE)
        assert answer.status_code == 200, address
        if answer.headers["content-type"].startswith("text/html"):
            links = Markup(answer.text).links()
            waiting += [str(answer.url.join(link).raw_path.decode()) for link in links]
    assert len(seen) > 15


HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}\x1b[31m"


def test_what_agents_say_does_nothing(served: Callable[..., Api], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    ids = ("1", "2")
    for number in ids:
        facts: dict[str, Any] = {"agent": HOSTILE, "note": HOSTILE}
        folder = stored_run(runs, number, {"C-1": [True]}, decided=False, **facts)
        _replace_record(folder, number)
    api = served()
    for number in ids:
        _decide(runs / number)
    addresses = (
        "/", "/runs", "/runs/1", "/runs/1/trials/C-1/1", "/compare?baseline=1&candidate=2",
        "/compare/trials?case=C-1&left=1&right=2", f"/runs?agent={quote(HOSTILE)}",
        f"/suites/{quote(HOSTILE, safe='')}", f"/runs/{quote(HOSTILE, safe='')}",
        f"/compare?baseline={quote(HOSTILE)}&candidate=1", f"/nowhere/{quote(HOSTILE, safe='')}",
    )  # fmt: skip
    for address in addresses:
        answer = api.get(address, headers=PAGE)
        assert Markup(answer.text).harmful() == [], address
        assert "\x1b" not in answer.text
    assert "alert(1)" in api.get("/runs/1/trials/C-1/1", headers=PAGE).text


def _replace_record(folder: RunFolder, run: str) -> None:
    path = folder.path / "trials" / "C-1" / "1.json"
    path.unlink()
    said = reply(
        HOSTILE,
        call(HOSTILE, status="error", query=HOSTILE),
        metadata={HOSTILE: HOSTILE},
        finish=HOSTILE,
        prompt=HOSTILE,
    )
    seen = entry("tools.search", path=f"/{HOSTILE}", host=HOSTILE, body={"q": HOSTILE})
    again = RunFolder(folder.path)
    again.write_trial(record(said, run=run, error=HOSTILE, journal=Journal(entries=(seen,))))


def _decide(path: Path) -> None:
    from harness.runner import decide
    from harness.verdicts import Limits

    decide(RunFolder(path), Limits())


def test_a_page_lets_nothing_in(console: Api) -> None:
    answer = console.get("/runs", headers=PAGE)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_fork_leads_to_the_trial_that_it_comes_from(
    served: Callable[..., Api], tmp_path: Path
) -> None:
    api = served()
    stored_run(tmp_path / "runs", "1", {"A": [False]})
    origin = ForkOrigin(run="1", case="A", number=1, turn=2, prompt="<b>Look")
    stored_run(tmp_path / "runs", "2", {"A": [True]}, fork=origin)
    for address in ("/runs", "/runs/2"):
        found = page(api, address)
        said = "fork of 1/A/1 from turn 2: the same model, prompt '<b>Look'"
        assert said in " ".join(found.text.split())
        assert "/runs/1/trials/A/1" in found.links()
    assert api.get("/api/eval/runs").json()[0]["fork"]["turn"] == 2


def test_a_run_that_changes_is_read_again(served: Callable[..., Api], tmp_path: Path) -> None:
    api = served()
    stored_run(tmp_path / "runs", "1", {"A": [True, None]}, decided=False)
    assert "Nothing was decided yet" in page(api, "/runs/1").text
    _decide(tmp_path / "runs" / "1")
    assert "Nothing was decided yet" not in page(api, "/runs/1").text


def test_baselines_name_their_runs_also_those_that_are_gone(
    served: Callable[..., Api], tmp_path: Path
) -> None:
    for name in "12":
        stored_run(tmp_path / "runs", name, {"A": [True]})
    api = served()
    for name in "12":
        api.post(f"/api/eval/runs/{name}/baseline", json={"note": "good"}).raise_for_status()
    (tmp_path / "runs" / "1").rename(tmp_path / "gone")
    text = " ".join(page(api, "/baselines").text.split())
    assert "1 is gone" in text
    assert text.count("current") == 1
    assert "baseline" in page(api, "/runs/2").text


def test_judges_with_their_agreement_and_what_they_cost(
    served: Callable[..., Api], tmp_path: Path
) -> None:
    from harness.model import Judge
    from tests.harness.records import case, manifest

    runs = tmp_path / "runs"
    question = Judge(question="Is it polite?")
    folder = RunFolder.create(
        runs / "1",
        manifest(["C-1"], run="1", suite="fixtures/office", options={"judge": "openai:some"}),
        [case(question)],
    )
    opinion = Opinion(
        asked=question.question_hash, sample=1, verdict="pass", model="openai:some", prompt="p1",
        input_tokens=120, output_tokens=7, duration_ms=1500,
    )  # fmt: skip
    folder.write_trial(record("Gladly.", run="1", opinions=(opinion,)))
    _decide(folder.path)
    api = served()
    before = " ".join(page(api, "/judges").text.split())
    assert "Is it polite?" in before
    assert "1 opinions, 1.5 s, 120 tokens in, 7 tokens out" in before
    assert "never calibrated" in before
    share = (0.9, 0.8, 0.95)
    save_calibration(
        runs,
        Calibration(
            model="openai:some", prompt="p1", questions=(question.question_hash,), positives=30,
            negatives=20, true_positive=27, true_negative=18, tpr=share, tnr=share, kappa=share,
            measured=0.8, corrected=None,
        ),
    )  # fmt: skip
    after = " ".join(page(api, "/judges").text.split())
    assert "no better than chance" in after
    assert "90 % 80 % to 95 %" in after


def test_an_invalid_suite_says_what_is_wrong_and_cannot_be_started(
    served: Callable[..., Api], suites: Path
) -> None:
    text = (suites / "office" / "cases.yaml").read_text(encoding="utf-8")
    (suites / "office" / "cases.yaml").write_text(
        text.replace("title:", "titel:", 1), encoding="utf-8"
    )
    found = page(served(), "/suites/office")
    assert "titel" in found.text
    assert not [tag for tag, attrs in found.elements if "data-start" in attrs]


def test_a_server_without_suites_says_how_to_get_one(tmp_path: Path) -> None:
    from tests.harness.server.conftest import serving

    with serving(Settings(runs=tmp_path / "runs", suites=tmp_path / "none")) as api:
        for address, command in (
            ("/", "understudy init"),
            ("/", "understudy demo"),
            ("/", "understudy serve"),
            ("/suites", "understudy init"),
            ("/runs", f"understudy demo --run-dir {tmp_path / 'runs'}"),
        ):
            assert command in page(api, address).text
        assert "No run fits." in page(api, "/runs?suite=x").text


def test_a_server_without_runs_says_how_to_make_one(idle: Api) -> None:
    assert "office --agent oracle" in page(idle, "/").text
    assert "office --agent oracle" in page(idle, "/runs").text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, stored_console(Path(place)) as served:
        GOLDEN.write_text(_shown(served), encoding="utf-8")
