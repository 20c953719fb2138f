"""Known mistakes of the joint function."""

from grader.lesson.mistakes import edit

no_mean = edit("backward__no_mean", "The loss is divided by n.", old="dy = 2 * y / n", new="dy = 2 * y")
twice_x = edit("backward__twice_x", "x is not part of db.", old="dy.sum(0)", new="(x.sum(1, keepdim=True) * dy).sum(0)")
