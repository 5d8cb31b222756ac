"""Ways to be a worse agent, each in one place; a good evaluation tells them apart."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from harness.demo.flaw_names import flaws_of


@dataclass(frozen=True)
class Flaws:
    """Which flaws an agent has.

    Attributes:
        skips_tool: Never asks for Chrome events, and goes on as if there were none.
        invents_id: States made-up ids instead of those it read.
        ignores_page_token: Reads the first page of every list and takes it for the whole.
        claims_write: Says that a change was made without making it.
    """

    skips_tool: bool = False
    invents_id: bool = False
    ignores_page_token: bool = False
    claims_write: bool = False


NO_FLAWS = Flaws()

FLAWS: Mapping[str, Flaws] = {
    "skips-tool": Flaws(skips_tool=True),
    "invents-id": Flaws(invents_id=True),
    "ignores-page-token": Flaws(ignores_page_token=True),
    "claims-write": Flaws(claims_write=True),
    "all": Flaws(**{field.name: True for field in fields(Flaws)}),
}


def flaws_named(name: str) -> Flaws:
    """The flaws that a name stands for; an empty name stands for none.

    Raises:
        ValueError: No flaw has that name.
    """
    return flaws_of(name, FLAWS, NO_FLAWS)
