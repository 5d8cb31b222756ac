"""The sre formats: `*.test.json` files, each a list of cases or an ADK EvalSet."""

from harness.cases.sre.suite import SRE

__all__ = ["SRE"]
