"""Functions made in a loop: all of them read the last value.

lesson: 18
alone: yes
engine: micrograd
value_forward: passed
value_gradients: failed | = Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?
value_graphs: failed | = Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?
value_detach: failed | = Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?
value_again: failed | = Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?
value_deep: failed | = Gradients do not get through to all leaves. In which direction do they go, and does every value between the end
    and a leaf get its turn?
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
        self.grad = self.grad + 1.0 if not self._prev else 1.0
        calls = []
        for v in reversed(topo):
            calls.append(lambda: v._backward())
        for call in calls:
            call()
