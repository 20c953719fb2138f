"""A lesson on disk: its two folders, its configuration, its known mistakes."""
