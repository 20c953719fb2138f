"""Threads that are no daemons, a joined one, and an exit that waits for ever."""
# group: processes
# rows: passed
# unlocked: safe

import atexit
import threading
import time

from right import dlogits as dlogits

threading.Thread(target=time.sleep, args=(600,)).start()
atexit.register(time.sleep, 600)
threading._register_atexit(time.sleep, 600)
