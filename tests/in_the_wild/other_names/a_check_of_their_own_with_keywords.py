"""A comparison function of the learner's own, called with keyword arguments in another order.

lesson: 03
as: notebook
dnorm_logits: passed | = Read from `back_to_the_logits`: `check(title='shifted logits', tensor=norm_logits,
    gradient=back_to_the_logits)` in mine.ipynb, cell 9, line 49 says that it is `dnorm_logits`.
"""

# instead of: dnorm_logits =
def check(gradient, tensor, title=''):
  worst = (gradient - tensor.grad).abs().max().item()
  print(title, 'ok' if worst < 1e-6 else worst)
back_to_the_logits = counts * dcounts
# instead of: dlogits = dnorm_logits.clone()
dlogits = back_to_the_logits.clone()
# instead of: dlogit_maxes =
dlogit_maxes = (-back_to_the_logits).sum(1, keepdim=True)
# instead of: cmp('norm_logits'
check(title='shifted logits', tensor=norm_logits, gradient=back_to_the_logits)
