# === whole_network: An inner sum forgotten in the backward pass of a whole network, where the gradients before it are
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
