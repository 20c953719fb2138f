#!/usr/bin/env bash
# Runs once, as root, when Gradescope builds the image: Python 3.11 or newer, and the grader in an environment of its own.
set -euo pipefail
root="${AUTOGRADER:-/autograder}"
source="$root/source"

find_python() {
    local candidate
    for candidate in python3.13 python3.12 python3.11 python3; do
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

if ! python="$(find_python)"; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get install -y python3-venv
    # Ubuntu 22.04 offers 3.11 in addition to its own 3.10
    python="$(find_python)" || { apt-get install -y python3.11 python3.11-venv && python="$(find_python)"; }
fi
echo "Python: $("$python" --version)"

# Not in source/, which only root can read: a student's code runs as another user and needs Python and the engine.
"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --no-cache-dir --extra-index-url=https://download.pytorch.org/whl/cpu -r "$source/requirements.txt"
"$root/venv/bin/python" -m pip install --no-cache-dir --no-deps "$source/engine"
chmod -R go-rwx "$source"
"$root/venv/bin/python" -P -m grader.publish.export.autograder --check "$root"
