"""Edits of a student's own code that make it right."""
