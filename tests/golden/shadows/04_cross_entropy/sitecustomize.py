raise RuntimeError("site")
