"""sys.exit(0) while the file is being run."""
# group: endings
# rows: error
# message: SystemExit
# unlocked: safe

import sys

from right import dlogits as dlogits

sys.exit(0)
