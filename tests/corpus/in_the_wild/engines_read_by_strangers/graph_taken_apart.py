"""A pass removes the inputs that it has used. The gradients of the passes before it are still there.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: passed
value_graphs: passed
value_detach: failed | = After one pass, the next one no longer reaches the leaves. What does `backward` leave behind that stops it:
    inputs that are removed, an empty list, or marks on the values?
value_again: failed | = After one pass, the next one no longer reaches the leaves. What does `backward` leave behind that stops it:
    inputs that are removed, an empty list, or marks on the values?
value_deep: passed
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
        self.grad = self.grad + 1.0
        for v in reversed(topo):
            v._backward()
            v._prev, v._backward = (), lambda: None
