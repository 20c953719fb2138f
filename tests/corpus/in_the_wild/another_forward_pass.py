# as: notebook

# === another_small_number: The forward pass adds 1e-6 before the root, and so does the way back: both lines are
#     quoted.
# lesson: 03
# keeps: import torch | n_embd | batch_size | emb = C
# dbnvar: failed | = The small number 1e-6 in `eps = 1e-6` is not the right one. With another one, your `dbnvar` is
#     right.
# others: missing

eps = 1e-6
bnvar_inv = (bnvar + eps)**-0.5
# %%
dbnvar = (-0.5*(bnvar + eps)**-1.5) * dbnvar_inv

# === product_in_the_loop: In the loop, the shift of batch norm is multiplied in the forward pass; the way back is
#     that of a sum.
# lesson: 07
# alone: yes
# base: training_loop
# update, learning_rate, trajectory, resumed, no_grad, calibrate, split_loss, sample: missing
# dW2: failed | = Your `loss` is wrong, too, and it comes first: start there. `dlogits` is wrong, and `dW2` is
#     computed from it.
# db1: any
# loss: failed | = `loss` is 2.91506422; expected 2.29819811.
# others: failed

# instead of: hpreact =
hpreact = bngain * bnraw * bnbias
# instead of: dC =
dC = torch.zeros_like(C).index_put((Xb,), demb, accumulate=True)
if i % 10 == 0:
    emb = C[Xdev]
    h = torch.tanh(bngain * (emb.view(emb.shape[0], -1) @ W1 + b1 - bnmean) * bnvar_inv + bnbias)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Ydev)
    print(i, loss.item())
