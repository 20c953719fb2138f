"""Puts its own modules in the place of torch, json and the grader's, and its own finder before all others."""
# group: patching
# rows: passed, crashed, error
# unlocked: safe

import sys
import types

from right import dlogits as dlogits


class Finder:
    @staticmethod
    def find_spec(name, *_):
        raise SystemExit(f"GOT THROUGH import of {name}")


sys.meta_path.insert(0, Finder)
for name in ("json", "torch", "grader.sandbox.workers.messages", "grader.gradebook.grading.session", "pytest", "numpy"):
    sys.modules[name] = types.ModuleType(name)
sys.path[:] = ["/tmp"]
