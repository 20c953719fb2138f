"""Known mistakes: by function, by edit."""

from grader.lesson.mistakes import edit, mistake


@mistake("This is the mean distance, and the largest one was asked for.")
def gap__mean(a, b):
    distance = (a - b).abs()
    return {"gap": distance.mean().item(), "where": int(distance.argmax())}


of_the_last_batch = edit(
    "Counter__last_batch",
    "This is the mean of the last batch alone: keep the total.",
    old="self.total = self.total + x.sum(0)",
    new="self.total = x.sum(0)",
)
one_sided = edit(
    "slope__one_sided",
    "This is a difference to one side: it is off by a term in eps.",
    old="(f(x + 1e-5) - f(x - 1e-5)) / 2e-5",
    new="(f(x + 1e-5) - f(x)) / 1e-5",
)
uniform = edit("drawn__uniform", "These numbers are uniform, not normal.", old="torch.randn(n,", new="torch.rand(n,")
tripled = edit("doubled__tripled", "That is three times.", old="value *= 2", new="value *= 3")
