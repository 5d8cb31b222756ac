from harness.demo.flows import FLOWS
from harness.demo.knowledge import ROUTES
from harness.demo.wording import plain


def test_every_route_leads_to_a_flow_and_every_flow_has_a_route() -> None:
    assert [flow for flow, _ in ROUTES] == [*FLOWS]


def test_symptoms_are_written_as_texts_are_folded() -> None:
    words = [word for _, symptoms in ROUTES for word in symptoms]
    assert [word for word in words if plain(word).strip() != word] == []
