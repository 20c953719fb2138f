print("GOT THROUGH test_cross_entropy.py")


def test_gradient():
    pass


def test_in_one_go():
    pass
