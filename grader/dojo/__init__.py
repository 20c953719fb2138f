"""Practice for students, without secrets: checks, hints, progress, training."""
