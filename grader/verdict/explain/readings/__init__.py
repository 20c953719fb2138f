"""Ways of reading a wrong gradient, one strategy per module."""
