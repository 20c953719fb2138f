"""A loop outside of the functions."""
# group: time
# rows: timeout
# message: is there a loop outside the functions
# unlocked: safe

while True:
    pass
