# %% [markdown]
# # Chapter 1 · Recurrent networks and the mathematics that powers them: the exercises
#
# Ten exercises, 20 points, about 130 minutes. They follow the lesson. You compute one step of a
# recurrent network and then a whole sequence, carry the gradient back through one step and through
# all of them, and train the network with it. Then you clip gradients that are too long, and write
# one step of a GRU and of an LSTM. Everything is NumPy, so you will have written yourself what
# Keras computes internally. At the end your own functions train a network.
#
# Every exercise has a cell for your answer and a cell that checks it. Run the check as often as you
# like: it tells you what it called, what came back and, where it recognises your mistake, what the
# mistake is. The grader runs the same check and a second one on other inputs, so an answer that
# fits only the printed example does not pass.
#
# Conventions: the batch comes first (`(batch, time, features)`), vectors are rows (`x @ w`), inputs
# and results are NumPy arrays, the inputs may hold whole numbers, and they are never changed in
# place. The network of the examples is the one of the lesson, with one input, two hidden units and
# one output. To repeat an example, copy these arrays into a cell of your own below the imports:
#
# ```python
# x = np.array([[[1.0], [0.0], [-1.0]]])  # (batch, time, features) = (1, 3, 1)
# targets = np.array([[[0.5], [0.5], [-0.5]]])
# w_x = np.array([[0.5, -0.3]])
# w_h = np.array([[0.8, 0.2], [-0.4, 0.6]])
# b_h = np.array([0.1, 0.0])
# w_y = np.array([[1.0], [-1.0]])
# b_y = np.array([0.0])
# ```

# %%
import numpy as np

# %% [markdown] lesson="Activation functions"
# ## A sigmoid that does not overflow
#
# The gates of exercises 8 and 9 are sigmoids, $\sigma(x) = 1 / (1 + e^{-x})$. Computed literally,
# the formula needs $e^{1000}$ for $x = -1000$. That is too large for a float, and NumPy warns of an
# overflow. Write a sigmoid that is correct for every finite input and never warns.
#
# `sigmoid(x)` → an array of the same shape, entry by entry, for an array of any shape.
#
# Example: `sigmoid(np.array([-1000.0, 0.0, 2.0, 1000.0]))` → `[0. 0.5 0.8808 1.]`, without a
# warning.
#
# <details><summary>Hint</summary>
#
# Multiply numerator and denominator by $e^{x}$ to get a second form of the same function. One of
# the two forms is safe for positive $x$, the other for negative. Or find out how $\sigma$ and tanh
# are related: tanh never overflows.
#
# </details>
# <details><summary>My check says that an exponential overflows, but I use np.where</summary>
#
# `np.where(condition, a, b)` computes all of `a` and all of `b` before it chooses. The exponent
# itself has to be harmless: what is the largest value that `np.exp(-np.abs(x))` can take?
#
# </details>


# %% exercise="sigmoid" points=1 difficulty=1 minutes=8
def sigmoid(x):
    """Return 1 / (1 + exp(−x)) for every entry of an array of any shape, without overflow."""
    ### BEGIN SOLUTION
    x = np.asarray(x, dtype=float)
    e = np.exp(-np.abs(x))  # never above 1
    return np.where(x >= 0, 1.0, e) / (1 + e)
    ### END SOLUTION


# %% [markdown] lesson="A network with a loop"
# ## One step
#
# Read one input and compute the next state from it and the previous state, for a whole batch at
# once: $h_t = f(x_t\, w_x + h_{t-1}\, w_h + b_h)$.
#
# `rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh)` → `(batch, m)`
#
# - `x_t`: `(batch, features)`; `h_prev`: `(batch, m)`, the state before
# - `w_x`: `(features, m)`; `w_h`: `(m, m)`; `b_h`: `(m,)`
# - `activation`: the function $f$
#
# Example: with the arrays above, `x_t = [[1.0]]` and `h_prev = [[0.5, -0.5]]`, the sum is
# `[[1.2 -0.5]]`, and its tanh is `[[0.8337 -0.4621]]`.
#
# <details><summary>Hint</summary>
#
# You need two matrix products with `@` and a sum. The bias broadcasts over the batch by itself.
#
# </details>
# <details><summary>My check says that w_h is transposed</summary>
#
# With row vectors the state stands on the left: `h_prev @ w_h`. Papers with column vectors write
# $W_h h_{t-1}$, and their $W_h$ is the transpose of ours.
#
# </details>


# %% exercise="rnn_step" points=1 difficulty=1 minutes=5
def rnn_step(x_t, h_prev, w_x, w_h, b_h, activation=np.tanh):
    """Return the next state (batch, m) from an input (batch, features) and a state (batch, m)."""
    ### BEGIN SOLUTION
    if x_t.ndim != 2:
        raise ValueError(f"x_t has shape {x_t.shape}, expected (batch, features)")
    (batch, features), m = x_t.shape, len(w_h)
    for name, array, shape in [
        ("w_h", w_h, (m, m)),
        ("h_prev", h_prev, (batch, m)),
        ("w_x", w_x, (features, m)),
        ("b_h", b_h, (m,)),
    ]:
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    return activation(x_t @ w_x + h_prev @ w_h + b_h)
    ### END SOLUTION


# %% [markdown] lesson="Three steps by hand"
# ## A whole sequence
#
# Run the network over a sequence. Keep the state after every step and compute an output from every
# state, $y_t = h_t\, w_y + b_y$. The output is linear; only the states go through the activation.
#
# `rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh)` → `(hidden, outputs)`
#
# - `x`: `(batch, time, features)`; `w_x`, `w_h`, `b_h` as in exercise 2
# - `w_y`: `(m, k)`; `b_y`: `(k,)`
# - `h_0`: `(batch, m)`, the state before the first step; `None` means zeros
# - `hidden`: `(batch, time, m)`, `hidden[:, 0]` is the state that has read the first input;
#   `outputs`: `(batch, time, k)`
#
# Example: with the arrays above, `hidden[0]` is
# `[[0.537 -0.2913] [0.5691 -0.0673] [0.082 0.357]]` and `outputs[0, :, 0]` is
# `[0.8284 0.6364 -0.275]`.
#
# <details><summary>Hint</summary>
#
# Make `hidden` with `np.zeros((batch, time, m))` and fill it step by step; this loop over time
# cannot be avoided, because $h_t$ needs $h_{t-1}$. The outputs need no loop: `hidden @ w_y` does
# every example and every step at once.
#
# </details>
# <details><summary>My check says that time and batch are swapped</summary>
#
# A list with one state for each step becomes an array whose first axis is time.
# `np.stack(states, axis=1)` makes time the second axis.
#
# </details>


# %% exercise="rnn_forward" points=3 difficulty=2 minutes=15
def rnn_forward(x, w_x, w_h, b_h, w_y, b_y, h_0=None, activation=np.tanh):
    """Return the states (batch, time, m) and the linear outputs (batch, time, k) of a sequence."""
    ### BEGIN SOLUTION
    if x.ndim != 3:
        raise ValueError(f"x has shape {x.shape}, expected (batch, time, features)")
    (batch, time, features), m, k = x.shape, len(w_h), w_y.shape[-1]
    h_t = np.zeros((batch, m)) if h_0 is None else h_0
    for name, array, shape in [
        ("w_h", w_h, (m, m)),
        ("w_x", w_x, (features, m)),
        ("b_h", b_h, (m,)),
        ("w_y", w_y, (m, k)),
        ("b_y", b_y, (k,)),
        ("h_0", h_t, (batch, m)),
    ]:
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    hidden = np.zeros((batch, time, m))
    for t in range(time):
        h_t = hidden[:, t] = activation(x[:, t] @ w_x + h_t @ w_h + b_h)
    return hidden, hidden @ w_y + b_y
    ### END SOLUTION


# %% [markdown] lesson="Back-propagation through time"
# ## One step back
#
# Suppose that you know `d_h`, the gradient $\delta h_t$ of a loss with respect to the state $h_t =
# \tanh(x_t\, w_x + h_{t-1}\, w_h + b_h)$. Carry it back through this one step to everything that
# the step was computed from.
#
# `rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h)` → a dict of gradients
#
# - `d_h`: `(batch, m)`, the gradient with respect to `h_t`
# - `x_t`: `(batch, features)`; `h_prev`, `h_t`: `(batch, m)`, the states before and after the step
# - `w_x`: `(features, m)`; `w_h`: `(m, m)`
# - the result has exactly the keys `"x_t"`, `"h_prev"`, `"w_x"`, `"w_h"` and `"b_h"`; every
#   gradient has the same shape as the array it belongs to, and those of the parameters are summed
#   over the batch
#
# Example: with the arrays above, `x_t = [[2.0]]`, `h_prev = [[0.5, -0.5]]`,
# `h_t = [[0.9354, -0.6640]]` and `d_h = [[1.0, 2.0]]`, the gradient of `b_h` is
# `[0.125 1.1182]`, that of `h_prev` is `[[0.3237 0.6209]]` and that of `x_t` is `[[-0.2729]]`.
#
# <details><summary>Hint</summary>
#
# First go back through the tanh: multiply `d_h` by its derivative, which is $1 - h_t^2$. The
# result is the gradient with respect to the sum inside the tanh. In this sum `x_t` is multiplied
# by `w_x`, so the gradient of `w_x` is a product of that gradient with `x_t`; which order and which
# transpose fit the shapes?
#
# </details>
# <details><summary>My check says that the gradient is divided by the batch</summary>
#
# If the loss is a mean over the batch, `d_h` already contains the factor $1 / \text{batch}$. Here
# you only add up the contributions of the examples.
#
# </details>


# %% exercise="rnn_step_backward" points=2 difficulty=2 minutes=15
def rnn_step_backward(d_h, x_t, h_prev, h_t, w_x, w_h):
    """Carry the gradient of h_t (batch, m) back through one tanh step: a dict of gradients."""
    ### BEGIN SOLUTION
    if x_t.ndim != 2:
        raise ValueError(f"x_t has shape {x_t.shape}, expected (batch, features)")
    (batch, features), m = x_t.shape, len(w_h)
    for name, array, shape in [
        ("w_h", w_h, (m, m)),
        ("w_x", w_x, (features, m)),
        ("d_h", d_h, (batch, m)),
        ("h_prev", h_prev, (batch, m)),
        ("h_t", h_t, (batch, m)),
    ]:
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    d_sum = d_h * (1 - h_t**2)
    return {
        "x_t": d_sum @ w_x.T,
        "h_prev": d_sum @ w_h.T,
        "w_x": x_t.T @ d_sum,
        "w_h": h_prev.T @ d_sum,
        "b_h": d_sum.sum(axis=0),
    }
    ### END SOLUTION


# %% [markdown] lesson="Back-propagation through time"
# ## Back-propagation through time
#
# Compute the loss of the network of exercise 3 and its gradient with respect to all parameters and
# to the initial state. The hidden activation is tanh, the output is linear, and the initial state
# is zero. The loss is the mean of the squared errors over **all** entries,
#
# $$L = \frac{1}{\text{batch} \cdot T \cdot k} \sum (y - \text{target})^2$$
#
# `bptt(x, targets, w_x, w_h, b_h, w_y, b_y)` → `(loss, gradients)`
#
# - `x`: `(batch, time, features)`; `targets`: `(batch, time, k)`; the arrays as in exercise 3
# - `loss`: a number
# - `gradients`: a dict with the keys `"w_x"`, `"w_h"`, `"b_h"`, `"w_y"`, `"b_y"`, each of the shape
#   of its array, and `"h_0"`, of shape `(batch, m)`: the initial state is zero, but the loss would
#   change if it were not
#
# Example: with the arrays above, the loss is `0.059`, `gradients["b_y"]` is `[0.4598]`,
# `gradients["b_h"]` is `[0.4675 -0.7299]` and `gradients["h_0"]` is `[[0.0811 -0.3003]]`.
#
# <details><summary>Hint</summary>
#
# Run forward once and keep all states. Then walk back from the last step with one array `(batch,
# m)`, the gradient that arrives at $h_t$ from later steps; after the last step it is zero. At each
# step, add to it the gradient from the step's own output, which comes through `w_y.T`. Then go back
# through the step as in exercise 4 (you may call it), add what it gives for `w_x`, `w_h` and `b_h`
# to their totals, and take what it gives for `h_prev` to the step before. What is left after the
# first step is the gradient of `h_0`.
#
# </details>
# <details><summary>My check begins with weights that are all zero</summary>
#
# Then every output is `b_y`, whatever comes in, so that this first example tests only the loss, the
# factor in front of its derivative, and the gradient of `b_y`, to which every step contributes. The
# printed example comes after it.
#
# </details>
# <details><summary>My check finds a wrong gradient and does not name my mistake</summary>
#
# Check it with finite differences: add `1e-5` to one entry of one array, subtract it from the same
# entry, and divide the difference of the two losses by `2e-5`. Do this for a sequence of one step
# first and then for two. If the gradient is wrong only for two, something is lost on the way back
# through time.
#
# </details>


# %% exercise="bptt" points=4 difficulty=3 minutes=35
def bptt(x, targets, w_x, w_h, b_h, w_y, b_y):
    """Return the mean squared error of a tanh network and its gradients, by name of the array."""
    ### BEGIN SOLUTION
    if x.ndim != 3:
        raise ValueError(f"x has shape {x.shape}, expected (batch, time, features)")
    (batch, time, features), m, k = x.shape, len(w_h), w_y.shape[-1]
    for name, array, shape in [
        ("w_h", w_h, (m, m)),
        ("w_x", w_x, (features, m)),
        ("b_h", b_h, (m,)),
        ("w_y", w_y, (m, k)),
        ("b_y", b_y, (k,)),
        ("targets", targets, (batch, time, k)),
    ]:
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
    if not targets.size:
        raise ValueError(f"targets is empty, of shape {targets.shape}: no error to average")

    hidden = np.zeros((batch, time + 1, m))  # hidden[:, t] is h_t, from h_0 = 0 on
    for t in range(time):
        hidden[:, t + 1] = np.tanh(x[:, t] @ w_x + hidden[:, t] @ w_h + b_h)
    errors = hidden[:, 1:] @ w_y + b_y - targets

    d_outputs = 2 * errors / errors.size
    d_sums = d_outputs @ w_y.T  # what arrives at each state from its own output
    d_h = np.zeros((batch, m))  # what arrives there from all later steps
    for t in reversed(range(time)):
        d_sums[:, t] = (d_sums[:, t] + d_h) * (1 - hidden[:, t + 1] ** 2)
        d_h = d_sums[:, t] @ w_h.T
    gradients = {
        "w_x": np.einsum("btd,btm->dm", x, d_sums),
        "w_h": np.einsum("btn,btm->nm", hidden[:, :-1], d_sums),
        "b_h": d_sums.sum(axis=(0, 1)),
        "w_y": np.einsum("btm,btk->mk", hidden[:, 1:], d_outputs),
        "b_y": d_outputs.sum(axis=(0, 1)),
        "h_0": d_h,
    }
    return float(np.mean(errors**2)), gradients
    ### END SOLUTION


# %% [markdown] lesson="Training the tiny network"
# ## Gradient descent
#
# Use the gradient. Take `steps` plain steps of gradient descent, each against the gradient that
# your `bptt` computes from the whole batch: every array becomes the array minus `learning_rate`
# times its gradient, and all five arrays change at once.
#
# `gradient_descent(x, targets, parameters, learning_rate, steps)` → `(parameters, losses)`
#
# - `x`: `(batch, time, features)`; `targets`: `(batch, time, k)`
# - `parameters`: a dict with the keys `"w_x"`, `"w_h"`, `"b_h"`, `"w_y"`, `"b_y"`, which must be
#   left as it is: what comes back is a new dict with the same five keys. The initial state stays
#   zero, so `"h_0"` is not among them
# - `losses`: an array `(steps,)`, the loss *before* each step
# - `steps` may be 0; then the parameters come back with their values unchanged, and `losses` is
#   empty
#
# Example: with the arrays above and `learning_rate=0.1`, two steps give the losses
# `[0.059 0.0159]`, and then `b_h` is `[0.0649 0.0516]` and `b_y` is `[-0.0405]`.
#
# <details><summary>Hint</summary>
#
# A dict can be passed as named arguments: `bptt(x, targets, **parameters)`. Build a new dict in
# every step, so that the next call of `bptt` sees the new arrays and the caller's dict stays as it
# was.
#
# </details>
# <details><summary>My check says that an input was changed in place</summary>
#
# `array -= step` writes into the array that the caller has handed over, and `dict(parameters)`
# copies the dict, but not the arrays in it. `array - step` makes a new array.
#
# </details>
# <details><summary>My bptt is not right yet</summary>
#
# You can do this exercise all the same. The check puts a `bptt` of its own in the place of yours,
# so an error there costs you nothing here.
#
# </details>


# %% exercise="gradient_descent" points=2 difficulty=2 minutes=10
def gradient_descent(x, targets, parameters, learning_rate, steps):
    """Take steps against the gradient of `bptt`: the new parameters and the losses (steps,)."""
    ### BEGIN SOLUTION
    names = ("w_x", "w_h", "b_h", "w_y", "b_y")
    if set(parameters) != set(names):
        raise ValueError(f"parameters has the keys {sorted(parameters)}, expected {sorted(names)}")
    if steps < 0:
        raise ValueError(f"steps must be at least 0, got {steps}")
    reached = {name: parameters[name].copy() for name in names}
    losses = np.zeros(steps)
    for step in range(steps):
        losses[step], gradients = bptt(x, targets, **reached)
        for name in names:
            reached[name] = reached[name] - learning_rate * gradients[name]
    return reached, losses
    ### END SOLUTION


# %% [markdown] lesson="Clipping a gradient that explodes"
# ## Gradient clipping
#
# A gradient that has exploded may still point in a useful direction; it is only too long. Think of
# all gradients of a network as one long vector. If its Euclidean norm is above `max_norm`, scale
# the vector down to that norm; otherwise leave it unchanged. Because all arrays share one factor,
# the direction stays the same.
#
# `clip_by_global_norm(gradients, max_norm)` → a list of arrays, in the order and shapes of the list
# `gradients`; `max_norm` is positive. Gradients that are all zero stay zero.
#
# Example: `clip_by_global_norm([np.array([1.0, 2.0]), np.array([[2.0, 4.0]])], 1.0)` →
# `[[0.2 0.4], [[0.4 0.8]]]`, because the norm is $\sqrt{1 + 4 + 4 + 16} = 5$.
#
# <details><summary>Hint</summary>
#
# Sum the squares within every array, sum over the arrays, and only then take the root.
#
# </details>
# <details><summary>My check says that a value is not finite</summary>
#
# The norm of all-zero gradients is 0. Do you divide by it?
#
# </details>


# %% exercise="clip_by_global_norm" points=1 difficulty=2 minutes=8
def clip_by_global_norm(gradients, max_norm):
    """Scale a list of arrays jointly to a Euclidean norm of at most ``max_norm``."""
    ### BEGIN SOLUTION
    if not max_norm > 0:
        raise ValueError(f"max_norm must be positive, got {max_norm}")
    # Squares of exploded gradients may overflow; squares of their shares of the largest cannot.
    largest = max((np.max(np.abs(array), initial=0.0) for array in gradients), default=0.0)
    if largest == 0:
        return [array.copy() for array in gradients]
    norm = largest * np.sqrt(sum(np.sum((array / largest) ** 2) for array in gradients))
    factor = max_norm / max(norm, max_norm)
    return [array * factor for array in gradients]
    ### END SOLUTION


# %% [markdown] lesson="GRU: update and reset"
# ## One step of a GRU
#
# The gated recurrent unit decides, entry by entry, how much of its state to keep ($z$, the update
# gate) and how much of it to look at when it makes a new one ($r$, the reset gate):
#
# $$
# \begin{aligned}
# z &= \sigma(x_t\, w_z + h_{t-1}\, u_z + b_z) \\
# r &= \sigma(x_t\, w_r + h_{t-1}\, u_r + b_r) \\
# \tilde h &= \tanh(x_t\, w_h + (r \odot h_{t-1})\, u_h + b_h) \\
# h_t &= z \odot h_{t-1} + (1 - z) \odot \tilde h
# \end{aligned}
# $$
#
# `gru_step(x_t, h_prev, w, u, b)` → `(batch, m)`, finite however large the sums inside $\sigma$ and
# tanh are.
#
# - `x_t`: `(batch, features)`; `h_prev`: `(batch, m)`
# - `w`, `u`, `b`: dicts with the keys `"z"`, `"r"`, `"h"` and entries of shape `(features, m)`,
#   `(m, m)` and `(m,)`
#
# This is Keras's `GRU(reset_after=False)`. Conventions differ: some papers swap $z$ and $1 - z$,
# and Keras's default and PyTorch apply $r$ after the product with $u_h$. Here the equations above
# are the ones to follow.
#
# Example: with `x_t = [[1.0]]`, `h_prev = [[0.5, -0.5]]` and
#
# ```python
# w = {"z": [[0.5, -0.3]], "r": [[1.0, -1.0]], "h": [[-0.6, 0.9]]}
# u = {
#     "z": [[0.8, 0.2], [-0.4, 0.6]],
#     "r": [[-0.5, 0.7], [0.3, -0.2]],
#     "h": [[0.4, -0.9], [1.0, 0.3]],
# }
# b = {"z": [0.1, 0.0], "r": [-0.2, 0.3], "h": [0.0, 0.5]}
# ```
#
# (each entry a NumPy array), `z` is `[[0.7685 0.3775]]`, `r` is `[[0.5987 0.4378]]`, the candidate
# is `[[-0.6038 0.7875]]` and the result is `[[0.2445 0.3014]]`.
#
# <details><summary>Hint</summary>
#
# Write four lines, one for each equation. You may call your own `sigmoid` of exercise 1.
#
# </details>
# <details><summary>My check says “not written yet”, but it is</summary>
#
# Your answer calls something that is not written yet, probably your `sigmoid`.
#
# </details>


# %% exercise="gru_step" points=3 difficulty=2 minutes=15
def gru_step(x_t, h_prev, w, u, b):
    """Return a GRU's next state (batch, m) from an input (batch, features) and a state."""
    ### BEGIN SOLUTION
    if x_t.ndim != 2:
        raise ValueError(f"x_t has shape {x_t.shape}, expected (batch, features)")
    (batch, features), m = x_t.shape, h_prev.shape[-1]
    if h_prev.shape != (batch, m):
        raise ValueError(f"h_prev has shape {h_prev.shape}, expected {(batch, m)}")
    for name, arrays, shape in [("w", w, (features, m)), ("u", u, (m, m)), ("b", b, (m,))]:
        for gate in "zrh":
            if arrays[gate].shape != shape:
                raise ValueError(
                    f'{name}["{gate}"] has shape {arrays[gate].shape}, expected {shape}'
                )

    def total(gate, state):
        return x_t @ w[gate] + state @ u[gate] + b[gate]

    # (1 + tanh(a / 2)) / 2 is the sigmoid of a, and never overflows.
    z, r = ((1 + np.tanh(total(gate, h_prev) / 2)) / 2 for gate in "zr")
    candidate = np.tanh(total("h", r * h_prev))
    return z * h_prev + (1 - z) * candidate
    ### END SOLUTION


# %% [markdown] lesson="LSTM: input, forget, output"
# ## One step of an LSTM
#
# The long short-term memory carries a second state, the cell $c_t$. Three gates decide what is
# written to the cell ($i$, input), what is kept of it ($f$, forget) and what is shown of it ($o$,
# output); $g$ is the candidate that may be written.
#
# $$
# \begin{aligned}
# i &= \sigma(x_t\, w_i + h_{t-1}\, u_i + b_i) \\
# f &= \sigma(x_t\, w_f + h_{t-1}\, u_f + b_f) \\
# o &= \sigma(x_t\, w_o + h_{t-1}\, u_o + b_o) \\
# g &= \tanh(x_t\, w_g + h_{t-1}\, u_g + b_g) \\
# c_t &= f \odot c_{t-1} + i \odot g \\
# h_t &= o \odot \tanh(c_t)
# \end{aligned}
# $$
#
# `lstm_step(x_t, h_prev, c_prev, w, u, b)` → `(h, c)`, both `(batch, m)` and finite however large
# the sums inside $\sigma$ and tanh, and the cell, are.
#
# - `x_t`: `(batch, features)`; `h_prev`, `c_prev`: `(batch, m)`
# - `w`, `u`, `b`: dicts with the keys `"i"`, `"f"`, `"g"`, `"o"` and entries of shape
#   `(features, m)`, `(m, m)` and `(m,)`
#
# Example: with `x_t = [[1.0]]`, `h_prev = [[0.5, -0.5]]`, `c_prev = [[-1.0, 0.5]]` and
#
# ```python
# w = {"i": [[0.5, -0.3]], "f": [[1.0, -1.0]], "g": [[-0.6, 0.9]], "o": [[-0.3, 0.5]]}
# u = {
#     "i": [[0.8, 0.2], [-0.4, 0.6]],
#     "f": [[-0.5, 0.7], [0.3, -0.2]],
#     "g": [[0.4, -0.9], [1.0, 0.3]],
#     "o": [[0.2, 0.8], [0.6, -0.4]],
# }
# b = {"i": [0.1, 0.0], "f": [-0.2, 0.3], "g": [0.0, 0.5], "o": [0.0, 0.1]}
# ```
#
# (each entry a NumPy array), the result is `h = [[-0.3086 0.3365]]`, `c = [[-1.1492 0.4696]]`.
#
# <details><summary>Hint</summary>
#
# As in exercise 8, you may call your own `sigmoid`. Compute `c` first, then `h` from it.
#
# </details>
# <details><summary>My check says that my forget gate has an extra bias</summary>
#
# Keras starts the forget gate's bias at 1. That 1 is a value inside `b["f"]` and not a part of the
# equations, so nothing is added to it here.
#
# </details>


# %% exercise="lstm_step" points=2 difficulty=2 minutes=12
def lstm_step(x_t, h_prev, c_prev, w, u, b):
    """Return an LSTM's next state and cell, both (batch, m), from an input (batch, features)."""
    ### BEGIN SOLUTION
    if x_t.ndim != 2:
        raise ValueError(f"x_t has shape {x_t.shape}, expected (batch, features)")
    (batch, features), m = x_t.shape, h_prev.shape[-1]
    for name, state in [("h_prev", h_prev), ("c_prev", c_prev)]:
        if state.shape != (batch, m):
            raise ValueError(f"{name} has shape {state.shape}, expected {(batch, m)}")
    for name, arrays, shape in [("w", w, (features, m)), ("u", u, (m, m)), ("b", b, (m,))]:
        for gate in "ifgo":
            if arrays[gate].shape != shape:
                raise ValueError(
                    f'{name}["{gate}"] has shape {arrays[gate].shape}, expected {shape}'
                )

    def total(gate):
        return x_t @ w[gate] + h_prev @ u[gate] + b[gate]

    # (1 + tanh(a / 2)) / 2 is the sigmoid of a, and never overflows.
    i, f, o = ((1 + np.tanh(total(gate) / 2)) / 2 for gate in "ifo")
    c = f * c_prev + i * np.tanh(total("g"))
    return o * np.tanh(c), c
    ### END SOLUTION


# %% [markdown] lesson="LSTM: input, forget, output"
# ## Counting parameters
#
# Compute how many parameters a recurrent layer of Keras has, without building it. `"simple_rnn"`
# has one weight matrix for the input, one for the state, and one bias. `"lstm"` has such a set for
# each of its three gates and one for its candidate. `"gru"` has a set for each of its two gates and
# one for its candidate, but its sets are larger. By default (`reset_after=True`) Keras lets the
# reset gate multiply *after* the product with $u_h$, as $r \odot (h_{t-1} u_h + b'_h)$, because a
# fast implementation for graphics cards requires this. A bias inside that bracket is not the same
# as one outside, so the candidate needs both. Keras gives all three sets **two** biases, one for
# the input and one for the state.
#
# `count_recurrent_parameters(kind, input_dim, units)` → an integer; `kind` is `"simple_rnn"`,
# `"lstm"` or `"gru"`.
#
# Example: `count_recurrent_parameters("simple_rnn", 1, 2)` → `8`, and `"lstm"` → `32`.
#
# <details><summary>Hint</summary>
#
# Start from the shapes: $w_x$ is `(input_dim, units)`, $w_h$ is `(units, units)`, $b_h$ is
# `(units,)`.
#
# </details>
# <details><summary>My check expects more biases than the GRU of exercise 8 has</summary>
#
# Exercise 8 is `reset_after=False`, which has one bias for each set. This exercise
# asks for the default, `reset_after=True`.
#
# </details>


# %% exercise="count_recurrent_parameters" points=1 difficulty=1 minutes=6
def count_recurrent_parameters(kind, input_dim, units):
    """Count the weights of a Keras layer: "simple_rnn", "lstm" or "gru" (reset_after=True)."""
    ### BEGIN SOLUTION
    sets = {"simple_rnn": 1, "lstm": 4, "gru": 3}
    if kind not in sets:
        raise ValueError(f"kind must be one of {', '.join(sets)}, got {kind!r}")
    for name, size in [("input_dim", input_dim), ("units", units)]:
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")
    biases = 2 if kind == "gru" else 1
    return sets[kind] * units * (input_dim + units + biases)
    ### END SOLUTION


# %% [markdown]
# ## Your functions at work
#
# Nothing below is marked. Run it when your checks pass: your `gradient_descent`, and with it your
# `bptt`, trains a network, and your `rnn_forward` runs it on sequences that it has never seen.
#
# The task is an echo. At every step the network reads a random number between −1 and 1, and its
# target is the number that came *two steps before* (at the first two steps it is 0). A network
# without memory can do no better than answer 0 all the time. The dashed line on the left shows the
# error of this answer.

# %% active="ipynb"
# import matplotlib.pyplot as plt
#
# from coursekit import figures
# from coursekit.checks import require_written
#
# require_written(rnn_step, rnn_forward, bptt, gradient_descent, gru_step, lstm_step)
#
# figures.use_style()
# rng = np.random.default_rng(0)
#
#
# def echoes(batch, time=12, delay=2):
#     """Draw sequences (batch, time, 1) and, as targets, the same numbers some steps later."""
#     x = rng.uniform(-1, 1, size=(batch, time, 1))
#     targets = np.zeros_like(x)
#     targets[:, delay:] = x[:, :-delay]
#     return x, targets
#
#
# m = 8
# drawn = {
#     "w_x": rng.normal(0, 0.5, size=(1, m)),
#     "w_h": np.linalg.qr(rng.normal(size=(m, m)))[0],
#     "b_h": np.zeros(m),
#     "w_y": rng.normal(0, 0.3, size=(m, 1)),
#     "b_y": np.zeros(1),
# }
# trained, losses = gradient_descent(*echoes(30), drawn, learning_rate=0.3, steps=1000)
#
# x, targets = echoes(200)
# _, outputs = rnn_forward(x, **trained)
# always_zero = np.mean(targets**2)
# print(f"new sequences: error {np.mean((outputs - targets) ** 2):.4f}")
# print(f"answering 0:   error {always_zero:.4f}")
#
# fig, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3))
# left.semilogy(losses, color=figures.MODEL)
# left.axhline(always_zero, color=figures.BASELINE, linestyle="--")
# left.set(xlabel="step of gradient descent", ylabel="loss")
# right.plot(x[0, :, 0], ":", color=figures.INK, label="input")
# right.plot(targets[0, :, 0], "s", color=figures.MARK, label="target")
# right.plot(outputs[0, :, 0], "o-", mfc="none", color=figures.MODEL, label="output")
# right.set(xlabel="step", xticks=range(0, 12, 2), title="a new sequence", ylim=(-1.3, 1.9))
# right.legend(ncols=3, loc="upper center")
# figures.show(
#     fig,
#     caption="Left: the loss of your network; the dashed line is the error of the answer 0. "
#     "Right: what the trained network makes of a new sequence.",
#     alt=f"The loss ends at {losses[-1]:.4f}; always answering 0 gives an error of "
#     f"{always_zero:.4f}. On a new sequence the output is at most "
#     f"{np.abs(outputs - targets)[0].max():.2f} off.",
# )

# %% [markdown]
# And how long do your cells remember? Each starts from a state of 1 and reads nothing but zeros.
# The recurrent weight of `rnn_step` is 1, so only tanh shrinks its state; in `gru_step` and
# `lstm_step` all weights are zero, and a gate's bias decides what is left. (The curve of the LSTM
# falls at once because its output gate, whose bias is 0, halves the tanh of the cell.)
#
# When you have seen the curves, change `one` to `0.9 * one` in the line of `rnn_step` and run the
# cell again: how long does the simple cell remember now?

# %% active="ipynb"
# nothing, one = np.zeros((1, 1)), np.ones((1, 1))
#
#
# def gates(keys, bias):
#     """Weights of zero for every gate, and a bias for z and f alone."""
#     weights = dict.fromkeys(keys, nothing)
#     return weights, weights, {key: np.full(1, bias * (key in "zf")) for key in keys}
#
#
# kept = {}
# for name, step in {
#     "rnn_step, $w_h = 1$": lambda h, c: (rnn_step(nothing, h, nothing, one, np.zeros(1)), c),
#     "gru_step, bias 0": lambda h, c: (gru_step(nothing, h, *gates("zrh", 0.0)), c),
#     "gru_step, bias 3": lambda h, c: (gru_step(nothing, h, *gates("zrh", 3.0)), c),
#     "lstm_step, bias 3": lambda h, c: lstm_step(nothing, h, c, *gates("ifgo", 3.0)),
# }.items():
#     h, c, kept[name] = one, one, [1.0]
#     for _ in range(40):
#         h, c = step(h, c)
#         kept[name].append(h.item())
#
# fig, ax = plt.subplots(figsize=(7.5, 3))
# for (name, states), style in zip(kept.items(), ("-", ":", "--", "-."), strict=True):
#     ax.plot(states, style, label=name)
# ax.set(xlabel="step", ylabel="state $h_t$")
# ax.legend()
# remaining = ", ".join(f"{kept[name][-1]:.2f} ({name.replace('$', '')})" for name in kept)
# figures.show(
#     fig,
#     caption="How much of a state of 1 each of your cells keeps while it reads zeros.",
#     alt=f"Four falling curves. After 40 steps the states are {remaining}.",
# )
