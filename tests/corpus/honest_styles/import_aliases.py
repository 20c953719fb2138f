"""import torch as t, numpy as np, torch.nn as nn, functions under other names."""

import numpy as np
import torch as t
import torch.nn as nn
import torch.nn.functional as F
from torch import exp as e
from torch import nn as network
from torch.nn.functional import log_softmax as ls

softmax = F.softmax
relu = nn.functional.relu


def dnorm_logits(dcounts, norm_logits):
    return e(norm_logits) * dcounts


def dlogits_fused(logits, Yb, n):
    probabilities = softmax(logits, dim=-1)
    assert t.allclose(probabilities, ls(logits, 1).exp()) and network.functional is F and relu(t.zeros(1)) == 0
    eye = t.tensor(np.eye(logits.shape[1]), dtype=logits.dtype)
    return (probabilities - eye[Yb]) / n


def dlogit_maxes(dnorm_logits):
    return dnorm_logits.sum(dim=1, keepdim=True).neg()
