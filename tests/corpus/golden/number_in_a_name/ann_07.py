def dh_bn(dlogits, W2):
    return dlogits @ W2.T
