"""`backward` never sets the gradient of the end.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | = Nothing reaches the leaves. What is the gradient of a value with respect to itself?
    `backward` begins with it.
value_graphs: failed | = Nothing reaches the leaves. What is the gradient of a value with respect to itself?
    `backward` begins with it.
value_detach: failed | = Nothing reaches the leaves. What is the gradient of a value with respect to itself?
    `backward` begins with it.
value_again: failed | = Nothing reaches the leaves. What is the gradient of a value with respect to itself? `backward`
    begins with it.
value_deep: failed | = Nothing reaches the leaves. What is the gradient of a value with respect to itself? `backward`
    begins with it.
others: any
"""


class Value:
    def backward(self):
        topo, seen, stack = [], set(), [(self, False)]
        while stack:
            v, done = stack.pop()
            if done:
                topo.append(v)
            elif id(v) not in seen:
                seen.add(id(v))
                stack.append((v, True))
                stack.extend((p, False) for p in v._prev)
        for v in topo:
            if v._prev:
                v.grad = 0.0
        for v in reversed(topo):
            v._backward()
