"""A dictionary of gradients, and a check that finds each tensor in globals(): nothing else says which is which.

lesson: 03
as: notebook
keeps: import torch | n_embd | batch_size | emb = C[Xb]
counts: 03
db1: failed | You average over the batch.
others: passed | Read from
"""

grads = {}
def check(name):
    t = globals()[name]
    ok = torch.allclose(grads[name], t.grad, atol=1e-6)
    print(f'{name}: {ok} {eval(name).shape}')
# %%
grads['logprobs'] = torch.zeros_like(logprobs)
grads['logprobs'][torch.arange(n), Yb] = -1/n
check('logprobs')
# %%
grads['probs'] = grads['logprobs'] / probs; check('probs')
grads['counts_sum_inv'] = (grads['probs'] * counts).sum(1, keepdim=True); check('counts_sum_inv')
grads['counts_sum'] = grads['counts_sum_inv'] * (-counts_sum.pow(-2)); check('counts_sum')
grads['counts'] = grads['probs'] * counts_sum_inv + grads['counts_sum']; check('counts')
grads['norm_logits'] = grads['counts'] * counts; check('norm_logits')
grads['logit_maxes'] = -grads['norm_logits'].sum(1, keepdim=True); check('logit_maxes')
grads['logits'] = grads['norm_logits'].clone()
grads['logits'][torch.arange(n), logits.argmax(1)] += grads['logit_maxes'].squeeze(1)
grads['h'] = grads['logits'] @ W2.T
grads['W2'] = h.T @ grads['logits']
grads['b2'] = grads['logits'].sum(0)
for k in ('logits', 'h', 'W2', 'b2'): check(k)
# %%
grads['hpreact'] = grads['h'] * (1 - h**2)
grads['bngain'] = (grads['hpreact'] * bnraw).sum(0, keepdim=True)
grads['bnbias'] = grads['hpreact'].sum(0, keepdim=True)
grads['bnraw'] = grads['hpreact'] * bngain
grads['bnvar_inv'] = (grads['bnraw'] * bndiff).sum(0, keepdim=True)
grads['bnvar'] = grads['bnvar_inv'] * -.5 * (bnvar + 1e-5)**-1.5
grads['bndiff2'] = grads['bnvar'] * torch.ones_like(bndiff2) / (n-1)
grads['bndiff'] = grads['bnraw'] * bnvar_inv
grads['bndiff'] += grads['bndiff2'] * 2 * bndiff
grads['bnmeani'] = -grads['bndiff'].sum(0, keepdim=True)
grads['hprebn'] = grads['bndiff'] + grads['bnmeani'] / n
grads['embcat'] = grads['hprebn'] @ W1.T
grads['W1'] = embcat.T @ grads['hprebn']
grads['b1'] = grads['hprebn'].mean(0)
grads['emb'] = grads['embcat'].view(emb.shape)
grads['C'] = torch.zeros_like(C).index_add(0, Xb.flatten(), grads['emb'].flatten(0, 1))
for k in ['hpreact', 'bnraw', 'bnvar_inv', 'bnvar', 'bndiff2', 'bndiff', 'bnmeani', 'hprebn', 'b1', 'C']: check(k)
