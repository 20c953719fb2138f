"""`dojo` for people who work alone: a lesson by a part of its name."""

from __future__ import annotations

import pytest
from kits import file_of

pytest_plugins = ["dojos"]


@pytest.mark.full
def test_a_lesson_by_a_part_of_its_name(kit, dojo):
    assert dojo("check", "makemore").stdout.startswith("03 The makemore network")
    assert dojo("check", "makemore.dprobs").stdout.count("| ") == 1
    assert "'net' is part" not in dojo("check", "net").stderr  # only embedding_net has it
    several = dojo("check", "_e").stderr
    assert (
        several
        == "dojo: There is no lesson '_e'. The lessons are 03 makemore_steps, 04 cross_entropy, 06 embedding_net.\n"
    )
    assert dojo("check", "ste").stdout.startswith("03 ")
    for copied in ("03.", "exercises/03_makemore_steps/"):  # the end of a sentence, a shell's completion
        assert dojo("check", copied).stdout.startswith("03 ")
    both = dojo("reset", "emb").stdout
    assert both == "exercises/06_embedding_net/backward.py is the stub already: nothing in it has been changed.\n"
    assert [path.name for path in file_of(kit, "06").parent.glob("*.before-reset-*")] == []


def test_the_first_five_minutes_begin_where_the_exercises_are(kit, dojo):
    result = dojo("start")
    assert result.exit_code == 0 and result.stdout == (
        "Lesson 03: The makemore network, step by step\n"
        "\n"
        "1. Read exercises/03_makemore_steps/README.md. It teaches what you need and\n"
        "works out one gradient in full.\n"
        "2. Open exercises/03_makemore_steps/backward.py in your editor. You write one\n"
        "function for each gradient.\n"
        "3. Type: dojo watch 03. It checks the file whenever you save, and says what is\n"
        "wrong.\n"
    )
    made = dojo("start", "elsewhere")
    assert made.exit_code == 0 and (kit / "elsewhere" / "exercises").is_dir()
