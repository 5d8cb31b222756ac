"""Plan, schedule, retry, cancel, resume."""
