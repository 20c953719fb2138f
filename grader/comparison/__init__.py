"""Do two tensors, or two nested results, agree? Shape, then value, then bits."""
