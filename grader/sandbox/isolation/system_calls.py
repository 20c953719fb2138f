"""The kernel's system calls, each once: its name, its number on x86_64 and on aarch64, "-" where there is none.

Sources: the kernel's arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h (aarch64).
"""

from __future__ import annotations

from functools import cache

ARCHITECTURES = ("x86_64", "aarch64")

REFUSED: dict[str, str] = {
    "starts a program or a process": "fork 57 - | vfork 58 - | execve 59 221 | execveat 322 281",
    "makes a namespace or changes what is mounted": """unshare 272 97 | setns 308 268 | mount 165 40 | umount2 166 39
        pivot_root 155 41 | chroot 161 51 | fsopen 430 430 | fsmount 432 432 | fsconfig 431 431 | fspick 433 433
        move_mount 429 429 | open_tree 428 428 | open_tree_attr 467 467 | mount_setattr 442 442 | statmount 457 457
        listmount 458 458""",
    "talks to the network or to another process": """socket 41 198 | socketpair 53 199 | connect 42 203 | bind 49 200
        listen 50 201 | accept 43 202 | accept4 288 242 | sendto 44 206 | recvfrom 45 207 | sendmsg 46 211
        recvmsg 47 212 | sendmmsg 307 269 | recvmmsg 299 243 | shutdown 48 210 | getsockname 51 204
        getpeername 52 205 | setsockopt 54 208 | getsockopt 55 209""",
    "asynchronous input and output goes past every other rule here": """io_uring_setup 425 425
        io_uring_enter 426 426 | io_uring_register 427 427 | io_setup 206 0 | io_destroy 207 1 | io_submit 209 2
        io_cancel 210 3 | io_getevents 208 4 | io_pgetevents 333 292""",
    "signals somebody; to itself there is tgkill": """tkill 200 130 | pidfd_send_signal 424 424 | pidfd_open 434 434
        pidfd_getfd 438 438""",
    "reads or changes another process": """ptrace 101 117 | process_vm_readv 310 270 | process_vm_writev 311 271
        process_madvise 440 440 | process_mrelease 448 448 | kcmp 312 272 | get_robust_list 274 100
        perf_event_open 298 241 | move_pages 279 239 | migrate_pages 256 238 | userfaultfd 323 282""",
    "changes priorities, also of the zygote under the same user": """setpriority 141 140 | ioprio_set 251 30
        sched_setscheduler 144 119 | sched_setparam 142 118 | sched_setattr 314 274""",
    "leaves the group in which the worker is killed": "setsid 112 157 | setpgid 109 154",
    "writes, makes, renames or removes files (Landlock before Linux 6.2 lets truncate pass)": """creat 85 -
        truncate 76 45 | ftruncate 77 46 | fallocate 285 47 | copy_file_range 326 285 | rename 82 - | renameat 264 38
        renameat2 316 276 | link 86 - | linkat 265 37 | symlink 88 - | symlinkat 266 36 | unlink 87 -
        unlinkat 263 35 | mkdir 83 - | mkdirat 258 34 | rmdir 84 - | mknod 133 - | mknodat 259 33 | sync 162 81
        syncfs 306 267""",
    "changes modes, owners, times or attributes, which Landlock lets pass": """chmod 90 - | fchmod 91 52
        fchmodat 268 53 | fchmodat2 452 452 | chown 92 - | fchown 93 55 | lchown 94 - | fchownat 260 54 | utime 132 -
        utimes 235 - | utimensat 280 88 | futimesat 261 - | setxattr 188 5 | lsetxattr 189 6 | fsetxattr 190 7
        setxattrat 463 463 | removexattr 197 14 | lremovexattr 198 15 | fremovexattr 199 16 | removexattrat 466 466
        file_setattr 469 469""",
    "watches or locks files, which Landlock lets pass: names of hidden files, or a grader that waits": """
        inotify_init 253 - | inotify_init1 294 26 | inotify_add_watch 254 27 | fanotify_init 300 262
        fanotify_mark 301 263 | flock 73 32 | name_to_handle_at 303 264 | open_by_handle_at 304 265""",
    "memory that the memory limit does not count": """memfd_create 319 279 | memfd_secret 447 447 | shmget 29 194
        shmat 30 196 | shmctl 31 195 | shmdt 67 197 | semget 64 190 | semop 65 193 | semctl 66 191
        semtimedop 220 192 | msgget 68 186 | msgsnd 69 189 | msgrcv 70 188 | msgctl 71 187 | mq_open 240 180
        mq_unlink 241 181 | mq_timedsend 242 182 | mq_timedreceive 243 183 | mq_notify 244 184
        mq_getsetattr 245 185""",
    "moves pages between files and pipes; write-protected files were changed so (CVE-2022-0847)": """splice 275 76
        tee 276 77 | vmsplice 278 75 | sendfile 40 71""",
    "changes who the worker is": """setuid 105 146 | setgid 106 144 | setreuid 113 145 | setregid 114 143
        setresuid 117 147 | setresgid 119 149 | setfsuid 122 151 | setfsgid 123 152 | setgroups 116 159
        capset 126 91 | personality 135 92""",
    "reaches deep into the kernel without an honest use": """bpf 321 280 | seccomp 317 277
        landlock_create_ruleset 444 444 | landlock_add_rule 445 445 | landlock_restrict_self 446 446
        lsm_set_self_attr 460 460 | keyctl 250 219 | add_key 248 217 | request_key 249 218 | modify_ldt 154 -
        remap_file_pages 216 234""",
    "administers the machine": """swapon 167 224 | swapoff 168 225 | reboot 169 142 | kexec_load 246 104
        kexec_file_load 320 294 | init_module 175 105 | finit_module 313 273 | delete_module 176 106 | quotactl 179 60
        quotactl_fd 443 443 | acct 163 89 | settimeofday 164 170 | clock_settime 227 112 | adjtimex 159 171
        clock_adjtime 305 266 | sethostname 170 161 | setdomainname 171 162 | iopl 172 - | ioperm 173 -
        syslog 103 116 | vhangup 153 58""",
    "is obsolete": """lookup_dcookie 212 18 | uselib 134 - | ustat 136 - | sysfs 139 - | _sysctl 156 -
        create_module 174 - | get_kernel_syms 177 - | query_module 178 - | nfsservctl 180 42 | getpmsg 181 -
        putpmsg 182 - | afs_syscall 183 - | tuxcall 184 - | security 185 - | vserver 236 - | epoll_ctl_old 214 -
        epoll_wait_old 215 -""",
}
"""Why seccomp.py refuses a worker a call, and which."""

ALLOWED = """close_range 436 436
    capget 125 90 | clone 56 220 | clone3 435 435 | fcntl 72 25 | ioctl 16 29 | kill 62 129 | madvise 28 233
    mmap 9 222 | open 2 - | openat 257 56 | openat2 437 437 | prctl 157 167 | prlimit64 302 261
    rt_sigqueueinfo 129 138 | rt_tgsigqueueinfo 297 240 | sched_setaffinity 203 122 | tgkill 234 131
"""
"""Calls whose arguments decide, see seccomp.py, and those that kernel.py makes."""


@cache
def numbers(machine: str) -> dict[str, int]:
    """System call numbers by name on `machine`, one of ARCHITECTURES."""
    column = 1 + ARCHITECTURES.index(machine)
    rows = [row for text in (*REFUSED.values(), ALLOWED) for row in call_rows(text)]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def call_rows(text: str) -> list[list[str]]:
    return [entry.split() for line in text.strip().splitlines() for entry in line.split("|")]
