from harness.demo.knowledge import ALL_EVENTS, EVENT_KINDS


def test_kinds_of_events_have_names_of_their_own() -> None:
    assert len({kind.name for kind in EVENT_KINDS}) == len(EVENT_KINDS)


def test_no_two_kinds_share_a_symptom() -> None:
    words = [word for kind in EVENT_KINDS for word in kind.words]
    assert len(words) == len(set(words))


def test_all_events_have_no_name_to_ask_for() -> None:
    assert (ALL_EVENTS.name, ALL_EVENTS.words) == ("", ())
