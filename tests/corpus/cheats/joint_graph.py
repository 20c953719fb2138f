"""aot_autograd, which traces a backward graph. Stopped by: error."""

from functorch.compile import aot_function, make_boxed_func


def compiler(graph, inputs):
    return make_boxed_func(graph)


def dprobs(dlogprobs, probs):
    logarithm = aot_function(lambda x: x.log(), fw_compiler=compiler, bw_compiler=compiler)
    out = logarithm(probs.requires_grad_(True))
    return out.grad_fn.apply(dlogprobs)[0].detach()
