print("GOT THROUGH json.py")
