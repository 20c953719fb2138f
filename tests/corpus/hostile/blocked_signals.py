"""Blocks every signal and waits for one."""
# group: time
# rows: timeout
# unlocked: safe

import signal


def dlogits(logits):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    signal.sigwait({signal.SIGUSR1})
