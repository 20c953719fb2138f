# === inputs_from_the_slope: dx in a single expression; da would be a factor of it.
# lesson: 01
# dx: failed | = Your `dx` leaves out `da`. In this network that is all ones, so leaving it out changes nothing here;
#     in another network it does. Request the upstream gradient as a parameter and multiply by it.

def dx(W, a):
    return torch.einsum("ij,kj->ik", 1 - a**2, W)

# === neighbour_in_its_place: The other operand's gradient is the same but for its sign, in the whole pass; a row is
#     judged by itself.
# lesson: 21
# dpenalty: failed | It is computed with `dgain`, and `gain` does not depend on `penalty`. Each row is judged with
#     upstream gradients of its own: compute it from `dgrpo`.

def dpenalty(dgain, weight):
    return -weight * dgain
