# === a_lambda_in_a_script: The function is a lambda, in a file of its own name: it is a function, and no gradient
#     that the script computes.
# lesson: 04
# as: script
# alone: yes
# others: passed

import torch
import torch.nn.functional as F

dlogits = lambda logits, Yb, n: (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n
