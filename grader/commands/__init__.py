"""The command lines: `grade` and `dojo`."""
