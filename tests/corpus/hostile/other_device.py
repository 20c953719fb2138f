"""Makes the meta device the default, so that whoever makes a tensor afterwards gets one without numbers."""
# group: patching
# rows: passed, error, shape, crashed, failed
# unlocked: safe

import torch
from right import dlogits as dlogits

torch.set_default_device("meta")
