"""Ways to reach an agent, one module each."""
