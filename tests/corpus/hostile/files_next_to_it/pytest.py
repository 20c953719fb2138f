print("GOT THROUGH pytest.py")
