print("GOT THROUGH grader.py")
