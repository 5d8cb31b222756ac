"""What no formula can be asked for."""


def check_counts(passes: float, trials: float) -> None:
    """Refuse counts that cannot be.

    Raises:
        ValueError: Fewer than no passes, or more of them than trials.
    """
    if not 0 <= passes <= trials:
        raise ValueError(f"{passes} of {trials} trials cannot have passed")
