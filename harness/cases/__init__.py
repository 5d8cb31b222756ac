"""Case formats, one module each."""
