"""What the agent says: a diagnosis, what it rests on, what else it may be, what to do."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    """One answer.

    Attributes:
        diagnosis: What is the matter, one or two sentences.
        evidence: Facts that were read, each with its ids.
        hypotheses: What may be behind it.
        next_steps: What to do, in order.
    """

    diagnosis: str
    evidence: list[str] = field(default_factory=list)
    hypotheses: list[str] = field(default_factory=list)
    next_steps: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The answer as people read it."""
        parts = [
            f"Diagnosis: {self.diagnosis}",
            f"Evidence:\n{_bullets(self.evidence)}",
            f"Hypotheses:\n{_bullets(self.hypotheses)}",
            "Next Steps:\n" + "\n".join(f"{n}. {s}" for n, s in enumerate(self.next_steps, 1)),
        ]
        return "\n\n".join(parts)

    def metadata(self) -> dict[str, Any]:
        """The answer as programs read it."""
        return {
            "diagnosis": self.diagnosis,
            "evidence": list(self.evidence),
            "hypotheses": list(self.hypotheses),
            "nextSteps": list(self.next_steps),
        }


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
