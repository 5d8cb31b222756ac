"""Text of agents as it can be written down."""

LONGEST_ERROR = 1000
"""Characters of what an agent's failure may say."""


def well_formed(text: str) -> str:
    r"""Text as UTF-8 can hold it: the halves of a character joined, those that are alone replaced.

    >>> well_formed("\ud83e\uddff, \ud83e")
    '\U0001f9ff, \ufffd'
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shortened(text: str) -> str:
    """What went wrong, in a length that can be read.

    >>> shortened("x" * 2000)[-4:]
    'x...'
    """
    text = well_formed(text)
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]}..."
