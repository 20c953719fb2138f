# === over_a_broadcast_axis: The gradient of a bias without the sum over the axis along which it was copied.
# lesson: 03
# db2: shape | The sum is missing: `b2`

def db2(dlogits):
    return dlogits


# === inside_a_gradient: An inner sum forgotten in the backward pass of a whole network, where the gradients before it are
#     right.
# lesson: 06
# by: both
# dW: failed | = `dxhat * xhat` is used element by element. With its sum or mean over an axis in that place, this
#     gradient is right.
# dC, demb: failed | `dxhat * xhat` is used element by element.
# db: failed | = The true `db` is zero here, and yours is not. It is computed from the same upstream gradient as `dW`,
#     which is not right yet: begin there.

# instead of: from_variance =
from_variance = xhat * (dxhat * xhat)
