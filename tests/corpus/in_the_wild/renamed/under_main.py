"""Under `if __name__ == ...`.

lesson: 01
by: dojo
dq: missing | = `dq` is defined inside a block `if __name__ == "__main__":`, which is not run here, so the file has
    no function of that name. Move it to the top level, without indentation.
"""

del dq

if __name__ == '__main__':

    def dq(dadded):
        return dadded.clone()
