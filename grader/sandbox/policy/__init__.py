"""The static check: what a submission may not use, read from its text."""
