"""What of the server's state a case asks about."""

from harness.model.cases import Case


def asked_collections(case: Case) -> tuple[str, ...]:
    """The collections that a case's expectations look into at the end, each once."""
    asked = (name for item in case.expect for name in item.final_collections)
    return tuple(dict.fromkeys(asked))
