"""Right answers that need a moment: what tests of the grader hand in by the hundred."""

from autograder.building.made_up_submissions import reference_answers

# For the networks that the reference trains: a regression on features that a seed has drawn.
WITHOUT_TRAINING = {
    "forecast_spread": """\
def forecast_spread(x_train, y_train, x_test, y_test, seeds):
    if len(x_train) != len(y_train) or len(x_test) != len(y_test):
        raise ValueError(f"lengths {len(x_train)}, {len(y_train)}, {len(x_test)}, {len(y_test)}")
    forecasts = []
    for seed in seeds:
        drawn = np.random.default_rng(seed).normal(size=(x_train.shape[1], 20))
        known, new = (np.tanh(x[:, :, 0] @ drawn) for x in (x_train, x_test))
        forecasts.append(new @ np.linalg.lstsq(known, y_train, rcond=None)[0])
    errors = np.sqrt(np.mean((np.array(forecasts) - y_test) ** 2, axis=1))
    return np.array(forecasts), errors, np.sqrt(np.mean((x_test[:, -1, 0] - y_test) ** 2))""",
}


def quick_answers(stem):
    """Return right answers to all exercises of a chapter, without training where that can be."""
    reference = reference_answers(stem)
    return reference | {
        name: WITHOUT_TRAINING[name] for name in reference.keys() & WITHOUT_TRAINING
    }
