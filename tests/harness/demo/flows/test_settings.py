from collections.abc import Callable

import pytest

from harness.demo.flows.settings import explain_setting, setting_in
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]


@pytest.mark.parametrize(
    ("question", "diagnosis"),
    [
        pytest.param("Safe Browsing in SRE?", "inherited from /Engineering", id="inherited"),
        pytest.param("Incognito in EMEA?", "takes precedence over what is set", id="override"),
        pytest.param("Incognito in Sales?", "nothing above it sets one", id="own"),
        pytest.param("Developer tools in Labs?", "No org unit sets it", id="default"),
        pytest.param("Download connector in Support?", "It is set on /Labs only", id="elsewhere"),
        pytest.param("Incognito in the Marketing OU?", "None of the 16 org units", id="unknown"),
        pytest.param("Safe Browsing?", "/ has its own value", id="no org unit means the root"),
        pytest.param("Proxy of mira.okafor@example.com?", "Chrome's default", id="user, default"),
        pytest.param("TLS of nils.berg@example.com?", "comes from /Labs", id="user, org unit"),
        pytest.param(
            "Password manager of mira.okafor@example.com?", "treasury-pilot@example.com", id="group"
        ),
    ],
)
def test_a_value_is_explained_by_where_it_comes_from(
    investigate: Ask, question: str, diagnosis: str
) -> None:
    assert diagnosis in explain_setting(investigate(question)).diagnosis


def test_a_setting_that_nobody_knows_has_no_value(investigate: Ask) -> None:
    case = investigate("Is there a blocklist in Labs?", overrides=[{"policies": []}])
    assert explain_setting(case).evidence == [
        "chrome.users.UrlBlocking has no value on /Labs (03ph8a2zf3m5jj0)"
    ]


def test_setting_and_org_unit_may_have_been_named_before(investigate: Ask) -> None:
    answer = explain_setting(investigate("And now?", "Incognito in EMEA?"))
    assert "/Sales/EMEA has its own value for incognito mode" in answer.diagnosis


def test_the_setting_with_most_words_is_meant() -> None:
    found = setting_in("Are browser updates pinned, and is there a proxy?")
    assert found is not None
    assert found.title == "browser updates"
    assert setting_in("How is the weather?") is None
