print("GOT THROUGH __init__.py")
