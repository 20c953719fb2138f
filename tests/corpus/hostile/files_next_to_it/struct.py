print("GOT THROUGH struct.py")
