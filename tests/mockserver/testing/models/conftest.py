"""The fixtures of stand-ins."""

from tests.stand_ins import stand_in

__all__ = ["stand_in"]
