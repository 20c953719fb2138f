"""A defence: questions about a student's own lines, generated from the file, with keys computed by running code."""
