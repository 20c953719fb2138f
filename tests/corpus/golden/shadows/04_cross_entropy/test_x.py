def test_gradient():
    assert False
