"""Submissions: found, unpacked, read; never run."""
