"""When two requests are the same, and which recording is nearest; pure."""
