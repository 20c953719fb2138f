raise RuntimeError("not the real one")
