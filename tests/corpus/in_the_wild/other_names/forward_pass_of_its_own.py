"""Every value and size of the forward pass has a name of the notebook's own, with other sizes; `cmp` says which is which.

lesson: 03
as: notebook
keeps: import torch | # utility function
dlogprobs: passed | Read from `dlp`
demb: passed | Read from
others: passed | Read from
"""

torch.manual_seed(0)
V, E, H, T, B = 27, 8, 50, 4, 24
emb_table = torch.randn(V, E, requires_grad=True)
w1 = (torch.randn(E*T, H) / (E*T)**0.5).requires_grad_()
bias1 = torch.zeros(H, requires_grad=True)
w2 = (0.1*torch.randn(H, V)).requires_grad_()
bias2 = torch.zeros(V, requires_grad=True)
gamma = torch.ones(1, H, requires_grad=True)
beta = torch.zeros(1, H, requires_grad=True)
# %%
sel = torch.randint(0, Xtr.shape[0], (B,))
xb, yb = Xtr[sel], Ytr[sel]
e = emb_table[xb]
ecat = e.view(e.shape[0], -1)
z = ecat @ w1 + bias1
mu = 1/B*z.sum(0, keepdim=True)
zc = z - mu
zc2 = zc**2
var = 1/(B-1)*zc2.sum(0, keepdim=True)
ivar = (var + 1e-5)**-0.5
zhat = zc * ivar
a = gamma * zhat + beta
hid = torch.tanh(a)
out = hid @ w2 + bias2
mx = out.max(1, keepdim=True).values
nl = out - mx
cnt = nl.exp()
s = cnt.sum(1, keepdim=True)
sinv = s**-1
p = cnt * sinv
lp = p.log()
loss = -lp[range(B), yb].mean()
for t in [e, ecat, z, mu, zc, zc2, var, ivar, zhat, a, hid, out, mx, nl, cnt, s, sinv, p, lp]: t.retain_grad()
loss.backward()
# %%
dlp = torch.zeros_like(lp); dlp[range(B), yb] = -1/B
dp = dlp / p
dsinv = (dp * cnt).sum(1, keepdim=True)
ds = -dsinv * s**-2
dcnt = dp * sinv + ds
dnl = dcnt * cnt
dmx = -dnl.sum(1, keepdim=True)
dout = dnl + F.one_hot(out.max(1).indices, V) * dmx
dhid = dout @ w2.T
dw2 = hid.T @ dout
dbias2 = dout.sum(0)
da = dhid * (1 - hid**2)
dgamma = (da * zhat).sum(0, keepdim=True)
dbeta = da.sum(0, keepdim=True)
dzhat = da * gamma
divar = (dzhat * zc).sum(0, keepdim=True)
dvar = -0.5 * (var + 1e-5)**-1.5 * divar
dzc2 = dvar.expand(B, H) / (B - 1)
dzc = dzhat * ivar + 2 * zc * dzc2
dmu = -dzc.sum(0, keepdim=True)
dz = dzc + dmu.expand_as(z) / B
decat = dz @ w1.T
dw1 = ecat.T @ dz
dbias1 = dz.sum(0)
de = decat.view(B, T, E)
demb_table = torch.zeros_like(emb_table).index_add(0, xb.flatten(), de.flatten(0, 1))
cmp('logprobs', dlp, lp)
cmp('probs', dp, p)
cmp('counts_sum_inv', dsinv, sinv)
cmp('counts_sum', ds, s)
cmp('counts', dcnt, cnt)
cmp('norm_logits', dnl, nl)
cmp('logit_maxes', dmx, mx)
cmp('logits', dout, out)
cmp('h', dhid, hid)
cmp('W2', dw2, w2)
cmp('b2', dbias2, bias2)
cmp('hpreact', da, a)
cmp('bngain', dgamma, gamma)
cmp('bnbias', dbeta, beta)
cmp('bnraw', dzhat, zhat)
cmp('bnvar_inv', divar, ivar)
cmp('bnvar', dvar, var)
cmp('bndiff2', dzc2, zc2)
cmp('bndiff', dzc, zc)
cmp('bnmeani', dmu, mu)
cmp('hprebn', dz, z)
cmp('embcat', decat, ecat)
cmp('W1', dw1, w1)
cmp('b1', dbias1, bias1)
cmp('emb', de, e)
cmp('C', demb_table, emb_table)
