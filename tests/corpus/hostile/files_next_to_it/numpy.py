print("GOT THROUGH numpy.py")
