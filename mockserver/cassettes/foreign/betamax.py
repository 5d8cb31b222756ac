"""Cassettes of betamax: the layout of Ruby's VCR, written by Python."""

from mockserver.cassettes.foreign import ruby
from mockserver.cassettes.foreign.imported import Imported, Source
from mockserver.model import Json

NAME = "betamax"


def recognises(value: Json) -> bool:
    """Whether it has `http_interactions`, recorded with betamax."""
    return ruby.recognises(value) and str(value.get("recorded_with")).startswith("betamax")


def read(value: Json, source: Source) -> Imported:
    """The interactions of a cassette; those that cannot be used are left out with a note."""
    found = ruby.read(value, source)
    return Imported(NAME, found.interactions, found.notes, found.recorded_by)
