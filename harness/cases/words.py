"""Text folded for comparison: how lint decides that a prompt or marker says the same."""

import unicodedata


def folded(text: str) -> str:
    """NFKC, case folded, everything but letters and digits one space; a space at both ends.

    >>> folded("POLICY_LIMIT (402)")
    ' policy limit 402 '
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    words = "".join(letter if letter.isalnum() else " " for letter in plain).split()
    return f" {' '.join(words)} "


def says(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase as whole words.

    >>> says("The rollout failed", "OU"), says("Check the OU.", "ou")
    (False, True)
    """
    wanted = folded(phrase)
    return bool(wanted.strip()) and wanted in folded(text)
