from mockserver.apis.monitoring.methods import HANDLERS


def test_every_collection_has_its_methods() -> None:
    assert len(HANDLERS) == 73 or len(HANDLERS) > 60
    assert all(name.startswith("monitoring.") for name in HANDLERS)
