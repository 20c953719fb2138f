"""The loss is the sum, and so are the gradients: here the question about the loss is the right one.

lesson: 07
as: notebook
alone: yes
base: what_a_notebook_contains/shared/training_loop.py
loss, db1: failed
dW2: failed | The loss is their mean; is `dlogits` divided by n?
others: failed
update, learning_rate, trajectory, resumed, no_grad, calibrate, split_loss, sample: missing
"""

# instead of: loss =
loss = F.cross_entropy(logits, Yb, reduction='sum')
# instead of: dlogits /= n
