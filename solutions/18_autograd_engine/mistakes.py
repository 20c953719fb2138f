"""Known mistakes of lesson 18, each with the message that its author gets."""

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[Value]
- gradients[id(each)] = gradients[id(each)] + term if id(each) in gradients else term
overwritten:
        gradients[id(each)] = term
    A value that is used twice gets a gradient from each use. Yours keeps one of them: where do you assign instead of
    adding?
""")
