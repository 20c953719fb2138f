"""Every finder of the worker's own removed, then a plain import by a computed name. Stopped by: error."""

import importlib
import sys
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

before = list(sys.meta_path)
sys.meta_path[:] = [BuiltinImporter, FrozenImporter, PathFinder]
sys.path_importer_cache.clear()
try:
    formulas = importlib.import_module("snoitisopmoced.pmoced_.hcrot"[::-1])
finally:
    sys.meta_path[:] = before
tanh_formula = vars(formulas)["drawkcab_hnat"[::-1]]


def dhpreact(dh, h):
    return tanh_formula(dh, h)
