raise RuntimeError("user")
