"""No network, no other process, no file but what is shown; and a pid namespace for each fork."""

from __future__ import annotations

import os
import socket

import pytest

from grader.sandbox.isolation import kernel, landlock, namespaces

pytestmark = pytest.mark.layers


def skip_unless(way):
    if way == "privileged":
        if os.geteuid() != 0 or not kernel.has_capabilities(kernel.CAP_SYS_ADMIN):
            pytest.skip("needs root with CAP_SYS_ADMIN")
    else:
        try:
            with open("/proc/sys/user/max_user_namespaces") as file:
                allowed = int(file.read())
        except OSError:
            allowed = 0
        if not allowed:
            pytest.skip("user namespaces are switched off")


@pytest.fixture(params=["privileged", "user namespace"])
def enter(request, lay_python_open):
    """Enters the zygote's namespaces in one of the two ways; as root, an ordinary user in the second."""
    skip_unless(request.param)

    def function(visible=()):
        if request.param == "privileged":
            return namespaces.enter_zygote_namespaces(visible, user_namespace=False)
        if os.geteuid() == 0:
            lay_python_open()
            kernel.become(65520)
        return namespaces.enter_zygote_namespaces(visible, user_namespace=True)

    return function


@pytest.fixture
def course(open_folder):
    """A folder with a secret in it and something to show."""
    for name in ("solutions", "project/venv", "project/exercises"):
        (open_folder / name).mkdir(parents=True)
        (open_folder / name / "file").write_text(name)
    return open_folder


def test_the_first_process_without_network(in_child, outcome, enter):
    def action():
        enter(landlock.worker_files().visible)
        interfaces = [name for _, name in socket.if_nameindex()]
        connecting = outcome(lambda: socket.create_connection(("127.0.0.1", 9)))
        numbers = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
        return os.getpid(), interfaces, connecting, numbers

    assert in_child(action) == [1, ["lo"], "ENETUNREACH", [1]]


def test_what_is_not_shown_does_not_exist(in_child, outcome, enter, course):
    venv = course / "project/venv"

    def action():
        enter([venv])
        return {
            "root": sorted(os.listdir("/")),
            "beside it": os.listdir(course / "project"),
            "solutions": outcome(lambda: os.stat(course / "solutions/file")),
            "shown": (venv / "file").read_text(),
            "changed": [outcome(lambda: (venv / "file").write_text("")), outcome(lambda: (venv / "new").mkdir())],
            "made": outcome(lambda: (course / "new").mkdir()),
        }

    assert in_child(action) == {
        "root": sorted({"proc", course.parts[1]}),
        "beside it": ["venv"],
        "solutions": "ENOENT",
        "shown": "project/venv",
        "changed": ["EROFS", "EROFS"],
        "made": "EROFS",
    }
    assert (course / "solutions/file").read_text() == "solutions"  # outside nothing changed


def test_links_on_the_way_are_shown(in_child, enter, course):
    (course / "link").symlink_to("project")
    (course / "project/current").symlink_to(course / "project/venv")
    (course / "project/file").write_text("a file")

    def action():
        enter([course / "link/current/file", course / "link/file", course / "never"])
        return (course / "link/current/file").read_text(), (course / "project/file").read_text()

    assert in_child(action) == ["project/venv", "a file"]


def test_each_fork_is_the_first_process_of_its_own_namespace(in_child, enter):
    def action():
        home = enter()
        message = []
        for _ in range(3):
            read, write = os.pipe()
            pid = namespaces.fork_into_pid_namespace(home)
            if pid == 0:
                os.write(write, f"{os.getpid()} {os.getppid()}".encode())
                os._exit(0)
            os.close(write)
            message.append(os.read(read, 100).decode())
            message.append(pid > 1 and os.waitpid(pid, 0)[1])
        plain = os.fork()  # an ordinary fork afterwards lands at home again
        if plain == 0:
            os._exit(0 if os.getppid() == 1 else 1)
        return message, os.waitpid(plain, 0)[1]

    assert in_child(action) == [["1 0", 0] * 3, 0]


def test_a_failed_return_home_leaves_no_child(in_child, outcome, enter):
    def action():
        enter()
        wrong = os.open("/proc/self/ns/net", os.O_RDONLY)
        message = outcome(lambda: namespaces.fork_into_pid_namespace(wrong) or os._exit(0))
        return message, outcome(lambda: os.waitpid(-1, os.WNOHANG))

    assert in_child(action) == ["EINVAL", "ECHILD"]


def test_refused_namespaces_raise(in_child, outcome, like_docker, as_root):
    def action():
        like_docker()
        return [
            outcome(lambda way=way: namespaces.enter_zygote_namespaces((), user_namespace=way)) for way in (False, True)
        ]

    assert in_child(action) == ["EPERM", "EPERM"]
