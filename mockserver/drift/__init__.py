"""How what was recorded differs from what was recorded before."""
