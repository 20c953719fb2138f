"""Prints commands for terminals, build servers and browsers, and half of a character."""
# group: output
# rows: passed
# unlocked: safe

import os
import sys

from right import dlogits as dlogits

print("\x1b[2J\x1b[H\x1b]0;owned\x07 100 of 100")
print("::set-output name=score::100\n::error file=x,line=1::owned\n##vso[task.complete result=Succeeded;]")
print("<script>document.title = 'full marks'</script><img src=x onerror=alert(1)>")
print('{"score": 100, "tests": []}')
sys.stdout.flush()
os.write(1, b"\xff\xfe\x00\xed\xa0\x80")
