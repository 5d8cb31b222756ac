from collections.abc import Callable

from harness.demo.flows.tenant import describe_tenant, explain_authentication
from harness.demo.investigation import Investigation

Ask = Callable[..., Investigation]


def test_everything_is_counted_once(investigate: Ask) -> None:
    answer = describe_tenant(investigate("Overview?"))
    assert answer.diagnosis == "The tenant has 16 org units, 5 DLP rules and 14 enrolled browsers."
    assert answer.evidence[0].startswith("83 events in the last 7 days")


def test_a_token_that_works_is_said_to_work(investigate: Ask) -> None:
    answer = explain_authentication(investigate("Are my credentials fine?"))
    assert answer.diagnosis == "The access token works for all 3 services that were tried."
    assert answer.evidence[0].startswith("the token belongs to admin@example.com")


def test_services_that_refuse_it_are_named(investigate: Ask) -> None:
    faults = [{"method": "reports.*", "status": 401}, {"method": "oauth2.*", "status": 400}]
    answer = explain_authentication(investigate("Are my credentials fine?", faults=faults))
    assert answer.diagnosis.startswith("Google refuses getChromeEvents")
    assert answer.evidence[0].startswith("the token itself: 400")
