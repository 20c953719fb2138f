"""Ends the process while the file is being run, with the status that means success."""
# group: endings
# rows: crashed
# message: exit status 0
# unlocked: safe

import os

print("All tests passed")
os._exit(0)
