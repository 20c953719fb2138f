"""Questions with keys: posed with values drawn per student, read from answers.toml, and judged."""
