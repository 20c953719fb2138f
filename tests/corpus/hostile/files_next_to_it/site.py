print("GOT THROUGH site.py")
