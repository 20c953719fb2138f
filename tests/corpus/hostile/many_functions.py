"""Ten thousand functions, each almost the one that is missing."""
# group: forged frames
# rows: missing
# unlocked: safe

for number in range(10_000):
    globals()[f"dlogit{number}"] = print
