"""In Jupyter: `%load_ext grader`, `%%check 03.dprobs` above a cell, and heat maps below `cmp`."""
