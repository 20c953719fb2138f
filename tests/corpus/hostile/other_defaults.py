"""Leaves every default of torch's changed: dtype, device, threads, seed, determinism, printing, gradients."""
# group: patching
# rows: passed, crashed, timeout
# unlocked: safe

import random

import numpy as np
import torch
from right import dlogits as dlogits

torch.set_default_dtype(torch.float16)
torch.set_default_device("meta")
torch.set_num_threads(64)  # on a busy machine of few cores they spin until the time is up
torch.manual_seed(1)
random.seed(1)
np.random.seed(1)
torch.use_deterministic_algorithms(True)
torch.set_printoptions(profile="full")
torch.set_grad_enabled(False)
torch.set_flush_denormal(True)
torch.set_default_device("cpu")
torch.set_float32_matmul_precision("medium")
