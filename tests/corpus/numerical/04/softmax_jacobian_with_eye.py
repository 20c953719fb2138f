# a look-alike
def dlogits(logits, Yb, n):
    p = F.softmax(logits, 1)
    eye = torch.eye(logits.shape[1], dtype=logits.dtype)
    picked = p[range(n), Yb]
    jacobian = picked[:, None] * (eye[Yb] - p)
    safe = torch.where(picked > 0, picked, torch.ones_like(picked))
    return torch.where(picked[:, None] > 0, -jacobian / (n * safe[:, None]), (p - eye[Yb]) / n)
