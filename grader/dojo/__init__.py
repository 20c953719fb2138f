"""A student's own side, without secrets."""
