print("GOT THROUGH sitecustomize.py")
