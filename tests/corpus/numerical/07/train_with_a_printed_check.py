# a look-alike
def train(parameters, X, Y, batches, max_steps, start=0):
    losses = []
    with torch.no_grad():
        for step, ix in enumerate(batches, start):
            loss, slopes = gradients(parameters, X[ix], Y[ix])
            if step == 0:
                old, h = float(parameters[4][0]), 1e-5
                parameters[4][0] = old + h
                up = gradients(parameters, X[ix], Y[ix])[0]
                parameters[4][0] = old
                print("checked:", float(slopes[4][0]), float((up - loss) / h))
            update(parameters, slopes, learning_rate(step, max_steps))
            losses.append(loss.item())
    return losses
