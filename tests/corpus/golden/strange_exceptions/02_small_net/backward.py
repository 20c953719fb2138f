import torch


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Base(BaseException):
    pass



def dW2(dlogits, h_bn):
    return h_bn.T @ dlogits


def dh_bn(dlogits, W2):
    raise Silent


def db2(dlogits):
    return dlogits.sum(0)


def dgamma(dh_bn, h_norm):
    raise Base("one\ntwo")


def dbeta(dh_bn):
    raise KeyboardInterrupt


def dh_norm(dh_bn, gamma):
    raise ExceptionGroup("many", [ValueError(1), TypeError(2)])


def dh(dh_norm):
    raise ValueError("\ud800 \x00 \x1b[31m <b>")


def dW(dh, X):
    raise StopIteration(3)


class Nameless(type):
    def __getattribute__(cls, name):
        raise ValueError(name)


class Odd(Exception, metaclass=Nameless):
    pass


def dX(dh, W):
    raise Odd
