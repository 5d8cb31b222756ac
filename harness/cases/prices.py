"""What a suite says that models cost: `prices.yaml` beside its cases."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from harness.documents import Findings, read_yaml
from harness.errors import HarnessError, InvalidCasesError, reason_of
from harness.trials.records import Price
from harness.trials.tracing import PRICES

FILE = "prices.yaml"


class _Price(BaseModel):
    model_config = ConfigDict(extra="forbid")
    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


_PRICES = TypeAdapter(dict[str, _Price])


def suite_prices(folder: Path) -> Mapping[str, Price]:
    """The prices of models: those of a suite, before those that are known.

    Args:
        folder: The suite's folder; `prices.yaml` in it has patterns of models, each with `input`
            and `output`, US dollars for a million tokens.

    Raises:
        HarnessError: The file is there, and holds something else.
        InvalidCasesError: It is no YAML.
    """
    path = folder / FILE
    if not path.is_file():
        return PRICES
    findings = Findings()
    document = read_yaml(path, findings)
    if document is None:
        raise InvalidCasesError(findings.problems)
    try:
        own = _PRICES.validate_python(document.value)
    except ValidationError as error:
        raise HarnessError(
            f"{path}: {reason_of(error)}", hint="MODEL: {input: 1.25, output: 10}"
        ) from None
    return {name.lower(): Price(each.input, each.output) for name, each in own.items()} | {
        name: price for name, price in PRICES.items() if name not in own
    }
