import numpy


class Nowhere:
    __array_interface__ = {"shape": (1,), "typestr": "<i8", "data": (8, False), "version": 3}


print(numpy.array(Nowhere()).sum())
