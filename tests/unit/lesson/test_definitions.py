"""Where a row is defined in a student's file."""

from grader.lesson.config import Item
from grader.lesson.definitions import definitions_of

SOURCE = b"class Layer:\n    pass\n\nclass Layer:\n    def forward(self): pass\n"


def test_a_method_is_found_in_the_class_that_counts_and_a_missing_one_leads_to_the_class():
    lines = {
        method: [each.lineno for each in definitions_of(Item(function="Layer", method=method), SOURCE)]
        for method in ("", "forward", "backward")
    }
    assert lines == {"": [4], "forward": [4, 5], "backward": [4]}
    assert definitions_of(Item(function="Layer"), b"class Layer(:") == []
