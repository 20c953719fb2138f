# === inputs_from_the_slope: dx in a single expression; da would be a factor of it.
# lesson: 01
# dx: failed | = Your `dx` leaves out `da`. In this network that is all ones, so leaving it out changes nothing here;
#     in another network it does. Request the upstream gradient as a parameter and multiply by it.

def dx(W, a):
    return torch.einsum("ij,kj->ik", 1 - a**2, W)
