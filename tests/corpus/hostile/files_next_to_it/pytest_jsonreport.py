print("GOT THROUGH pytest_jsonreport.py")
