"""Simulated users: those that follow replies, that a model plays, or that a recording has."""

from harness.users.models import ModelUser, user_model
from harness.users.players import RecordedUser, ScriptedUser, UserPlayer

__all__ = [
    "ModelUser",
    "RecordedUser",
    "ScriptedUser",
    "UserPlayer",
    "user_model",
]
