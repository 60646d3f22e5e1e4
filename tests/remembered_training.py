"""Trainings that many answers of a bank have in common, made once for all of them.

Most wrong answers to an exercise that trains are wrong somewhere else: they train what the right
answer trains, from the same start, on the same data. A training is then a function of all that, and
of the states of the generators that draw its order.
"""

import contextlib
import hashlib
import pickle
import random
import sys
from unittest import mock

import numpy as np

_after = {}


@contextlib.contextmanager
def remembered_trainings():
    """Let `Model.fit` take what an equal training has left, wherever there has been one.

    An answer that sets no seed starts from the same one as all others.
    """
    if "keras" not in sys.modules:
        yield
        return
    keras = sys.modules["keras"]
    keras.utils.set_random_seed(0)
    fit = keras.Model.fit

    def remembered(model, x=None, y=None, **settings):
        if not model.built:  # its weights are drawn by fit, and nothing is known of them yet
            return fit(model, x, y, **settings)
        key = _everything_that_decides(model, x, y, settings)
        if key is None:
            return fit(model, x, y, **settings)
        if key not in _after:
            history = fit(model, x, y, **settings)
            _after[key] = _values(model), history.history, history.epoch, _generators()
            return history
        values, losses, epochs, generators = _after[key]
        model.optimizer.build(model.trainable_variables)
        for variable, value in zip(_variables(model), values, strict=True):
            variable.assign(value)
        _set_generators(generators)
        model.history = keras.callbacks.History()
        model.history.set_model(model)
        model.history.history, model.history.epoch = losses, epochs
        return model.history

    with mock.patch.object(keras.Model, "fit", remembered):
        yield


def _everything_that_decides(model, x, y, settings):
    """Return a digest of all that a training depends on, None where that cannot be told."""
    from tensorflow.python.eager import context

    if not hasattr(context.context(), "_rng"):  # no seed: another training would draw otherwise
        return None
    arrays = [*(x if isinstance(x, (list, tuple)) else [x]), y]
    plain = all(isinstance(value, (int, float, bool, str)) for value in settings.values())
    if not plain or not all(isinstance(array, np.ndarray) for array in arrays):
        return None
    try:
        network = model.to_json()
    except (NotImplementedError, TypeError, ValueError):  # a class without a config
        return None
    parts = (
        network,
        model.get_compile_config(),
        _values(model),
        [(array.dtype.str, array.shape, array.tobytes()) for array in arrays],
        sorted(settings.items()),
        _generators(),
    )
    return hashlib.sha256(pickle.dumps(parts)).hexdigest()


def _variables(model):
    return [*model.variables, *model.optimizer.variables]


def _values(model):
    model.optimizer.build(model.trainable_variables)
    return [np.array(variable) for variable in _variables(model)]


def _generators():
    """Return the states of Python's, NumPy's and TensorFlow's global generators."""
    from tensorflow.python.eager import context

    eager = context.context()
    legacy = np.random.get_state()  # noqa: NPY002  Keras draws from it
    return random.getstate(), legacy, eager._seed, eager._rng.getstate()


def _set_generators(states):
    from tensorflow.python.eager import context

    python, numpy, _, tensorflow = states
    random.setstate(python)
    np.random.set_state(numpy)  # noqa: NPY002
    context.context()._rng.setstate(tensorflow)
