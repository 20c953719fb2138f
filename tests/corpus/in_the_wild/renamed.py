# === fused_gradient: The one function of the file has a letter too few: the second row waits for nothing else.
# lesson: 04
# by: both
# alone: yes
# dlogits, in_one_go: missing | = There is no function `dlogits`; did you mean `dlogit`? Rename it.

import torch.nn.functional as F


def dlogit(logits, Yb, n):
    p = F.softmax(logits, 1)
    p[range(n), Yb] -= 1
    return p / n

# === inside_a_class: Methods of a class.
# lesson: 02
# dW: missing | = `dW` is defined inside the class `Backward`, so the file has no function of that name. Move it to
#     the top level, without indentation.
# db: missing | = `db` is defined inside the class `Backward`, so the file has no function of that name. Move it to
#     the top level, without indentation.

del dW, db


class Backward:
    def dW(self, dh, X):
        return X.T @ dh

    def db(self, dh):
        return dh.sum(0)

# === under_main: Under `if __name__ == ...`.
# lesson: 01
# by: dojo
# dq: missing | = `dq` is defined inside a block `if __name__ == "__main__":`, which is not run here, so the file has
#     no function of that name. Move it to the top level, without indentation.

del dq

if __name__ == '__main__':

    def dq(dadded):
        return dadded.clone()
