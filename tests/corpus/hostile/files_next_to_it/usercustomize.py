print("GOT THROUGH usercustomize.py")
