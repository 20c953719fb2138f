"""Ways of reading a wrong result of a call: a tree of tensors, numbers and texts."""
