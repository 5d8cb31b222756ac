"""What every model of the harness is made of."""

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = Any
"""A JSON value as Python has it."""

JsonObject = dict[str, Any]


class Frozen(BaseModel):
    """A value: never changed once made, and no field it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
