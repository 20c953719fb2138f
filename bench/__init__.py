"""Commands that measure: what locking in costs, and what it stops."""
