"""Cases 39-44: right answers that look odd. Every one of them must get all of its points."""

from nbformat.v4 import new_code_cell

from hostile.submissions import HONEST, Case, atop, inside

COIN = "if {} < 0.5:\n    return None"

CASES = [
    # --- 39, 40: chatter ---
    Case(
        39,
        "warnings",
        "Python warnings from a cell and from a function",
        answers=atop("make_windows", "import warnings\nwarnings.warn('old')")
        | inside("rmse", "import warnings\nwarnings.warn('old', DeprecationWarning)")
        | inside("persistence_forecast", "np.array([1.0]) / np.array([0.0])"),
    ),
    Case(
        39,
        "warnings_are_errors",
        "all warnings turned into errors in a cell of its own",
        cells={"split_series": "import warnings\nwarnings.simplefilter('error')"},
    ),
    Case(
        40,
        "stderr",
        "chatter on stderr: by print, by logging, by the file descriptor, a progress bar",
        answers=atop(
            "make_windows",
            "import logging, os, sys\nprint('chatter', file=sys.stderr)\n"
            "logging.warning('chatter')\nos.write(2, b'chatter\\n')",
        )
        | inside(
            "rmse",
            "import os, sys\nprint('\\r50%', end='', file=sys.stderr, flush=True)\n"
            "os.write(2, b'chatter\\n')",
        ),
    ),
    Case(
        40,
        "tensorflow_chatter",
        "TensorFlow's first operation, with its messages, inside a graded function",
        answers=inside(
            "persistence_forecast",
            "import tensorflow as tf\nX = tf.identity(tf.constant(X)).numpy()\n"
            "tf.get_logger().warning('chatter')",
        ),
    ),
    # --- 41: other ways to be right ---
    Case(
        41,
        "float32",
        "everything in float32",
        answers={
            "simple_rnn_predict": HONEST["simple_rnn_predict"].replace(
                "w_x, w_h, b_h, w_y, b_y = weights",
                "w_x, w_h, b_h, w_y, b_y = [w.astype(np.float32) for w in weights]\n"
                "    x = x.astype(np.float32)",
            ),
            "make_windows": HONEST["make_windows"].replace(
                "    starts =", "    series = series.astype(np.float32)\n    starts ="
            ),
            "persistence_forecast": "def persistence_forecast(X):\n"
            "    return X[:, -1, 0].astype('float32')",
        },
    ),
    Case(
        41,
        "lists_and_loops",
        "Python lists and loops in place of arrays",
        answers={
            "make_windows": """\
def make_windows(series, time_steps, stride=1):
    if len(series) <= time_steps:
        raise ValueError("too short")
    X, y = [], []
    for i in range(0, len(series) - time_steps, stride):
        X.append([[float(value)] for value in series[i : i + time_steps]])
        y.append(float(series[i + time_steps]))
    return X, y""",
            "persistence_forecast": "def persistence_forecast(X):\n"
            "    return [float(window[-1][0]) for window in X]",
            "split_series": """\
def split_series(series, train_fraction=0.8):
    values = list(series)
    cut = int(len(values) * train_fraction)
    return values[:cut], values[cut:]""",
        },
    ),
    Case(
        41,
        "tensors_and_series",
        "TensorFlow tensors and a pandas Series come back",
        answers={
            "persistence_forecast": "import pandas as pd\n\n\ndef persistence_forecast(X):\n"
            "    return pd.Series(X[:, -1, 0])",
            "rmse": HONEST["rmse"].replace(
                "return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))",
                "return keras.ops.sqrt(keras.ops.mean((y_true - y_pred) ** 2))",
            ),
            "simple_rnn_predict": HONEST["simple_rnn_predict"].replace(
                "return output if output_activation is None else output_activation(output)",
                "output = output if output_activation is None else output_activation(output)\n"
                "    return keras.ops.convert_to_tensor(output)",
            ),
        },
    ),
    Case(
        41,
        "functional_model",
        "the functional API of Keras, and a model class of its own name",
        answers={
            "create_rnn": """\
def create_rnn(hidden_units, dense_units, input_shape, activation):
    inputs = keras.layers.Input(shape=input_shape)
    state = keras.layers.SimpleRNN(hidden_units, activation=activation[0])(inputs)
    outputs = keras.layers.Dense(dense_units, activation=activation[1])(state)
    model = keras.Model(inputs, outputs)
    model.compile(optimizer=keras.optimizers.Adam(), loss=keras.losses.MeanSquaredError())
    return model"""
        },
    ),
    Case(
        41,
        "no_plain_functions",
        "a lambda, a partial, an object with `__call__`, a decorated function",
        answers={
            "persistence_forecast": "persistence_forecast = lambda X: X[:, -1, 0].copy()",
            "split_series": """\
import functools


def _cut(how, series, train_fraction=0.8):
    cut = int(len(series) * train_fraction)
    return how(series[:cut]), how(series[cut:])


split_series = functools.partial(_cut, np.array)""",
            "make_windows": f"""\
class Windows:
    def __call__(self, series, time_steps, stride=1):
        return _make_windows(series, time_steps, stride)


{HONEST["make_windows"].replace("def make_windows", "def _make_windows")}


make_windows = Windows()""",
            "rmse": """\
import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("called", function.__name__)
        return function(*args, **kwargs)

    return wrapper


"""
            + HONEST["rmse"].replace("def rmse", "@logged\ndef rmse"),
        },
    ),
    # --- 42: slow ---
    Case(
        42,
        "slow",
        "three seconds of sleep in a function",
        answers=inside("fit_forecaster", "import time\ntime.sleep(3)"),
    ),
    Case(
        42,
        "slow_cells",
        "two seconds of sleep in a cell, and one of counting",
        cells={
            "make_windows": "import time\ntime.sleep(2)\nstarted = time.time()\n"
            "while time.time() < started + 1:\n    pass"
        },
    ),
    # --- 43: a real student's notebook ---
    Case(
        43,
        "helpers_elsewhere",
        "helper functions in inserted cells and in other answers' cells",
        cells={
            "make_windows": "def table_of(starts, time_steps):\n"
            "    return starts[:, None] + np.arange(time_steps)"
        },
        answers={
            "make_windows": HONEST["make_windows"].replace(
                "starts[:, None] + np.arange(time_steps)", "table_of(starts, time_steps)"
            ),
            "rmse": HONEST["rmse"] + "\n\n\ndef last_values(X):\n    return X[:, -1, 0]",
            "persistence_forecast": "def persistence_forecast(X):\n    return last_values(X)",
        },
    ),
    Case(
        43,
        "prints_and_plots",
        "prints, plots, tables, `%matplotlib inline`, `%time`, output left over",
        cells={
            "split_series": [
                "%matplotlib inline\nimport matplotlib.pyplot as plt, pandas as pd",
                "plt.plot([1, 2, 3])\nplt.show()\npd.DataFrame({'a': [1, 2]})",
                "%%time\nprint('hello')\n1 + 1",
                "!echo hello\n%timeit -n 1 -r 1 1 + 1",
                "?np.mean",
            ],
            "end": "make_windows(np.arange(20.0), 3)\nOut, _, In[-1]",
        },
        answers=inside("rmse", "print('called with', y_true)")
        | atop("make_windows", "%matplotlib inline\nprint('my answer')"),
    ),
    Case(
        43,
        "scratch_cells_fail",
        "scratch cells with errors in them: a name, a syntax error, a magic that does not exist",
        cells={
            "make_windows": ["no_such_name", "def broken(:", "%no_such_magic", "1 / 0", "assert 0"]
        },
    ),
    Case(
        43,
        "checks_overwritten",
        "`checks` and builtins overwritten by accident, another folder entered",
        cells={
            "make_windows": "checks = 3\nlist = [1, 2]\nsum = 0\nstr = 'text'\n"
            "import os, tempfile\nos.chdir(tempfile.mkdtemp())"
        },
    ),
    Case(
        43,
        "pip_in_a_cell",
        "`%pip install numpy` in the first cell, as many notebooks begin",
        cells={"split_series": "%pip install --quiet numpy"},
    ),
    Case(
        43,
        "await_and_classes",
        "`await` at top level, a dataclass, annotations from the future",
        cells={
            "make_windows": """\
from __future__ import annotations
import asyncio
from dataclasses import dataclass


@dataclass
class Split:
    train: np.ndarray
    test: Missing


await asyncio.sleep(0.1)"""
        },
    ),
    Case(
        43,
        "answers_timed",
        "answers under `%%time` and `%%capture`",
        answers={
            "rmse": "%%time\n" + HONEST["rmse"],
            "make_windows": "%%capture\n" + HONEST["make_windows"],
        },
    ),
    Case(
        43,
        "answers_of_one_cell",
        "all functions in one cell, as a student orders them; each answer cell repeats its own",
        cells={"split_series": "\n\n\n".join(HONEST.values())},
    ),
    Case(
        43,
        "no_ids_and_windows_lines",
        "no cell ids, lines that end in CR LF, old outputs with errors",
        edit=lambda notebook: [
            (c.pop("id", None), setattr(c, "source", c.source.replace("\n", "\r\n")))
            for c in notebook.cells
        ],
    ),
    # --- 44: three times the same ---
    *(
        Case(
            44,
            f"network_{number}",
            "the same bytes, with an unseeded network in them, handed in by three students",
            answers={
                "fit_forecaster": """\
def fit_forecaster(train):
    scale = train.max()
    hidden = keras.layers.Dense(3, activation="tanh")

    def features(windows):
        states = hidden(windows).numpy()
        return np.column_stack([windows, states, np.ones(len(windows))])

    windows = np.lib.stride_tricks.sliding_window_view(train[:-1] / scale, 12)
    weights, *_ = np.linalg.lstsq(features(windows), train[12:] / scale, rcond=None)
    return lambda w: scale * features(w[:, :, 0] / scale) @ weights"""
            },
        )
        for number in (1, 2, 3)
    ),
    *(
        Case(
            44,
            f"coin_{number}",
            "the same bytes; answers that are right or wrong by unseeded random numbers",
            answers=inside("split_series", f"import random\n{COIN.format('random.random()')}")
            | inside("persistence_forecast", COIN.format("np.random.rand()"))
            | inside("make_windows", COIN.format("float(keras.random.uniform(()))"))
            | atop("rmse", "import random\ncoin = random.random()")
            | inside("rmse", COIN.format("np.random.normal(0.5)")),
            lost=None,
        )
        for number in (1, 2, 3)
    ),
    Case(
        41,
        "long_double",
        "a root mean square in extended precision",
        answers={
            "rmse": HONEST["rmse"].replace(
                "return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))",
                "difference = np.asarray(y_true, np.longdouble) - y_pred\n"
                "    return np.sqrt(np.mean(difference**2))",
            )
        },
    ),
    Case(
        42,
        "pool_over_shared_data",
        "30 processes that share 160 MB with their parent",
        answers=inside(
            "fit_forecaster",
            "import multiprocessing, time\n"
            "shared = np.ones(20_000_000)\n"
            "with multiprocessing.Pool(30) as pool:\n"
            "    pool.map(time.sleep, [1.5] * 30, chunksize=1)",
        ),
    ),
    Case(
        39,
        "warning_at_every_step",
        "a function that warns 100,000 times, each time in other words",
        answers=inside(
            "rmse",
            "import warnings\nfor step in range(100_000):\n"
            "    warnings.warn(f'step {step}: ' + 'not yet ' * 50)",
        ),
    ),
    Case(
        43,
        "magics_of_every_day",
        "`%autoreload`, `%xmode`, `%config`, `%gui`, cell magics for other languages, `%reset`",
        cells={
            "split_series": [
                "%load_ext autoreload\n%autoreload 2",
                "%xmode Minimal\n%colors NoColor",
            ],
            "make_windows": [
                "%config InteractiveShell.ast_node_interactivity = 'all'\n1\n2",
                "%%writefile own_module.py\nx = 1",
                "import own_module",
                "%gui asyncio",
                "%matplotlib tk",
                "%%html\n<b>x</b>",
                "%%perl\nprint 1;",
                "%%script bash --bg\nsleep 30",
                "%%prun\nsum(range(10))",
                "%%capture --no-stderr kept\nprint(1)",
                "%who\n%history\nnp.abs??\n%env A=1",
            ],
        },
        edit=lambda notebook: notebook.cells.insert(0, new_code_cell("%reset -f", id="reset")),
    ),
    Case(
        43,
        "locks_and_databases",
        "files locked, a database with two connections, saved weights, shared memory, a manager",
        cells={
            "make_windows": [
                "import fcntl\nfile = open('locked', 'w')\nfcntl.flock(file, fcntl.LOCK_EX)\n"
                "fcntl.lockf(file, fcntl.LOCK_UN)",
                "import sqlite3\na, b = sqlite3.connect('x.db'), sqlite3.connect('x.db')\n"
                "a.execute('create table t (x)')\na.execute('insert into t values (1)')\n"
                "a.commit()\nrows = b.execute('select * from t').fetchall()",
                "model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])\n"
                "model.save_weights('x.weights.h5')\nmodel.load_weights('x.weights.h5')",
                "import multiprocessing\nfrom multiprocessing import shared_memory\n"
                "block = shared_memory.SharedMemory(create=True, size=1000)\nblock.close()\n"
                "with multiprocessing.Manager() as manager:\n    shared = dict(manager.dict(x=1))",
            ]
        },
        answers=atop(
            "rmse",
            "assert rows == [(1,)] and shared == {'x': 1} and model.built and not file.closed",
        ),
    ),
]
