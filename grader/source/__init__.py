"""Python text read without running it: scopes, names, aliases, data flow. Nothing here imports torch."""
