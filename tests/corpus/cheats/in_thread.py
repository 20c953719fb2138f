"""On another thread, which has its own dispatch modes. Stopped by: tripwire, error."""

import threading


def dprobs(dlogprobs, probs):
    probs.requires_grad_(True)

    def work():
        probs.log().backward(dlogprobs)  # here

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return probs.grad.clone()
