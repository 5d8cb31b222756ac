"""One measured figure, held against its target."""

from dataclasses import dataclass
from statistics import median

from typing_extensions import override


@dataclass(frozen=True)
class Figure:
    name: str
    measured: float
    target: float
    unit: str = ""
    at_least: bool = False

    @property
    def ok(self) -> bool:
        return self.measured >= self.target if self.at_least else self.measured <= self.target

    @override
    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "ok" if self.ok else "MISSED"
        return (
            f"{self.name:<52} {self.measured:>10.3f}{self.unit:<4} "
            f"{sign} {self.target:g}{self.unit:<4} {verdict}"
        )


def ratio(ours: list[float], reference: list[float]) -> float:
    """The median of the ratios pair by pair, which holds when the machine's speed drifts."""
    return median(mine / other for mine, other in zip(ours, reference, strict=True))
