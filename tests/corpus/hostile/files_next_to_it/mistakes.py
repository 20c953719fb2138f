print("GOT THROUGH mistakes.py")
