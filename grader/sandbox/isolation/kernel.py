"""System calls that Python's standard library has no function for, by their names.

Linux on x86_64 and aarch64. The module can be imported anywhere; on another system or processor every call raises
OSError (ENOSYS), and `supported()` says so beforehand.

Sources: syscall(2), prctl(2), close_range(2), pidfd_open(2); numbers from the kernel's
arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h (aarch64).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import select
import signal
import sys
from collections.abc import Iterable
from functools import cache

ARCHITECTURES = ("x86_64", "aarch64")

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NAME = 15
PR_GET_NAME = 16
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_SET_VMA = 0x53564D41

# name, number on x86_64, number on aarch64; "-" where the processor has no such call
_NUMBERS = """
    _sysctl 156 - | accept 43 202 | accept4 288 242 | acct 163 89 | add_key 248 217 | adjtimex 159 171
    afs_syscall 183 - | bind 49 200 | bpf 321 280 | capget 125 90 | capset 126 91 | chmod 90 - | chown 92 -
    chroot 161 51 | clock_adjtime 305 266 | clock_settime 227 112 | clone 56 220 | clone3 435 435 | close_range 436 436
    connect 42 203 | copy_file_range 326 285 | creat 85 - | create_module 174 - | delete_module 176 106
    epoll_ctl_old 214 - | epoll_wait_old 215 - | execve 59 221 | execveat 322 281 | fallocate 285 47
    fanotify_init 300 262 | fanotify_mark 301 263 | fchmod 91 52 | fchmodat 268 53 | fchmodat2 452 452 | fchown 93 55
    fchownat 260 54 | fcntl 72 25 | file_setattr 469 469 | finit_module 313 273 | flock 73 32 | fork 57 -
    fremovexattr 199 16 | fsconfig 431 431 | fsetxattr 190 7 | fsmount 432 432 | fsopen 430 430 | fspick 433 433
    ftruncate 77 46 | futimesat 261 - | get_kernel_syms 177 - | get_robust_list 274 100 | getpeername 52 205
    getpmsg 181 - | getsockname 51 204 | getsockopt 55 209 | init_module 175 105 | inotify_add_watch 254 27
    inotify_init 253 - | inotify_init1 294 26 | io_cancel 210 3 | io_destroy 207 1 | io_getevents 208 4
    io_pgetevents 333 292 | io_setup 206 0 | io_submit 209 2 | io_uring_enter 426 426 | io_uring_register 427 427
    io_uring_setup 425 425 | ioctl 16 29 | ioperm 173 - | iopl 172 - | ioprio_set 251 30 | kcmp 312 272
    kexec_file_load 320 294 | kexec_load 246 104 | keyctl 250 219 | kill 62 129 | landlock_add_rule 445 445
    landlock_create_ruleset 444 444 | landlock_restrict_self 446 446 | lchown 94 - | link 86 - | linkat 265 37
    listen 50 201 | listmount 458 458 | lookup_dcookie 212 18 | lremovexattr 198 15 | lsetxattr 189 6
    lsm_set_self_attr 460 460 | madvise 28 233 | memfd_create 319 279 | memfd_secret 447 447
    migrate_pages 256 238 | mkdir 83 - | mkdirat 258 34 | mmap 9 222 | mknod 133 - | mknodat 259 33 | modify_ldt 154 -
    mount 165 40 | mount_setattr 442 442
    move_mount 429 429 | move_pages 279 239 | mq_getsetattr 245 185 | mq_notify 244 184 | mq_open 240 180
    mq_timedreceive 243 183 | mq_timedsend 242 182 | mq_unlink 241 181 | msgctl 71 187 | msgget 68 186 | msgrcv 70 188
    msgsnd 69 189 | name_to_handle_at 303 264 | nfsservctl 180 42 | open 2 - | open_by_handle_at 304 265
    open_tree 428 428 | open_tree_attr 467 467 | openat 257 56 | openat2 437 437 | perf_event_open 298 241
    personality 135 92 | pidfd_getfd 438 438 | pidfd_open 434 434 | pidfd_send_signal 424 424 | pivot_root 155 41
    prctl 157 167 | prlimit64 302 261 | process_madvise 440 440 | process_mrelease 448 448 | process_vm_readv 310 270
    process_vm_writev 311 271 | ptrace 101 117 | putpmsg 182 - | query_module 178 - | quotactl 179 60
    quotactl_fd 443 443 | reboot 169 142 | recvfrom 45 207 | recvmmsg 299 243 | recvmsg 47 212
    remap_file_pages 216 234 | removexattr 197 14 | removexattrat 466 466 | rename 82 - | renameat 264 38
    renameat2 316 276 | request_key 249 218 | rmdir 84 - | rt_sigqueueinfo 129 138 | rt_tgsigqueueinfo 297 240
    sched_setaffinity 203 122 | sched_setattr 314 274 | sched_setparam 142 118 | sched_setscheduler 144 119
    seccomp 317 277 | security 185 - | semctl 66 191 | semget 64 190 | semop 65 193 | semtimedop 220 192
    sendfile 40 71 | sendmmsg 307 269 | sendmsg 46 211 | sendto 44 206 | setdomainname 171 162 | setfsgid 123 152
    setfsuid 122 151 | setgid 106 144 | setgroups 116 159 | sethostname 170 161 | setns 308 268 | setpgid 109 154
    setpriority 141 140 | setregid 114 143 | setresgid 119 149 | setresuid 117 147 | setreuid 113 145 | setsid 112 157
    setsockopt 54 208 | settimeofday 164 170 | setuid 105 146 | setxattr 188 5 | setxattrat 463 463 | shmat 30 196
    shmctl 31 195 | shmdt 67 197 | shmget 29 194 | shutdown 48 210 | socket 41 198 | socketpair 53 199 | splice 275 76
    statmount 457 457 | swapoff 168 225 | swapon 167 224 | symlink 88 - | symlinkat 266 36 | sync 162 81
    syncfs 306 267 | sysfs 139 - | syslog 103 116 | tee 276 77 | tgkill 234 131 | tkill 200 130 | truncate 76 45
    tuxcall 184 - | umount2 166 39 | unlink 87 - | unlinkat 263 35 | unshare 272 97 | uselib 134 - | userfaultfd 323 282
    ustat 136 - | utime 132 - | utimensat 280 88 | utimes 235 - | vfork 58 - | vhangup 153 58 | vmsplice 278 75
    vserver 236 -
"""


def architecture() -> str | None:
    """The processor, if this process runs on Linux and the table has its numbers; else None."""
    machine = platform.machine()
    sixty_four_bits = sys.maxsize > 1 << 32  # a 32-bit Python on a 64-bit kernel uses other numbers
    return machine if sys.platform == "linux" and sixty_four_bits and machine in ARCHITECTURES else None


def supported() -> bool:
    return architecture() is not None


@cache
def numbers(machine: str) -> dict[str, int]:
    """System call numbers by name on `machine`, one of ARCHITECTURES."""
    column = 1 + ARCHITECTURES.index(machine)
    rows = (entry.split() for line in _NUMBERS.strip().splitlines() for entry in line.split("|"))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def syscall(name: str, *arguments: int | bytes) -> int:
    """Calls the kernel directly. Bytes are passed as a pointer to them.

    Raises OSError with the kernel's error number; ENOSYS where this system has no such call.
    """
    machine = architecture()
    number = numbers(machine).get(name) if machine else None
    if number is None:
        raise OSError(errno.ENOSYS, f"{name}: no such system call on {platform.system()} {platform.machine()}")
    converted = [ctypes.c_char_p(a) if isinstance(a, bytes) else ctypes.c_ulong(a) for a in arguments]
    result: int = _libc().syscall(ctypes.c_long(number), *converted)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); arguments not given are 0, as the newer options demand. Raises OSError."""
    four = (*arguments, 0, 0, 0, 0)[:4]
    return syscall("prctl", option, *four)


def close_all_but(keep: Iterable[int]) -> None:
    """Closes every descriptor of this process except those in `keep`. Raises OSError.

    A worker must not inherit the zygote's control socket, or a pipe that another process waits on: a student who held
    one could talk to the zygote, or keep the trusted side waiting for an end of file.
    """
    first = 0
    for descriptor in sorted(set(keep)):
        if descriptor > first:
            syscall("close_range", first, descriptor - 1, 0)
        first = descriptor + 1
    syscall("close_range", first, 0xFFFFFFFF, 0)


def die_with_parent(parent: int | None = None) -> None:
    """Asks the kernel to kill this process when its parent ends; elsewhere than on Linux, nothing. Raises OSError.

    `parent` is a pidfd of the parent, opened before the fork: a parent that had ended before this call sends no
    signal any more, and in a new pid namespace getppid() is 0 whether it lives or not.

    The kernel forgets the request when the process changes its user: call it again then. "Parent" is the *thread*
    that forked (PR_SET_PDEATHSIG in prctl(2)): start a zygote from a thread that lives as long.
    """
    if not supported():
        return
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None:
        poll = select.poll()
        poll.register(parent, select.POLLIN)  # readable as soon as that process has ended
        if poll.poll(0):
            os._exit(1)
