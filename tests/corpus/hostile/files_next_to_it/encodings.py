print("GOT THROUGH encodings.py")
