print("GOT THROUGH stolen.py")
