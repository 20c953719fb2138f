import json
import os
import struct


def forge(**header):
    text = json.dumps(header).encode()
    os.write(4, struct.pack("<4sIQ", b"BPN1", len(text), 0) + text)


forge(op="not locked in", message="no")
