print("GOT THROUGH __main__.py")
