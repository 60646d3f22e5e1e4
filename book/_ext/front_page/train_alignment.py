"""Train the translator of the front page and write down where it looks.

    python -m bookext.front_page.train_alignment

It is the translator of chapter 4, with the chapter's settings and the last of its seeds: it reads
an English date and writes it in Hungarian. What it wrote and its attention weights go to
`alignment.json`, from which `bookext.front_page.alignment` draws; building the site trains nothing.
"""

import json
from pathlib import Path
from typing import Any

from coursekit import datasets, translation

NUMBERS = Path(__file__).with_name("alignment.json")
# A phone has no room for a longer date.
_CHARACTERS = 20
_SEED, _STEPS, _LEARNING_RATE, _UNITS = 2, 400, 0.02, 32


def trained_alignment() -> dict[str, Any]:
    """Train the translator and let it translate the first test date that is short enough.

    Returns the tokens that it read and wrote, the weights with one row for each token that it
    wrote, how many dates of the test set it gets all right, and the settings of the run.
    """
    corpus = datasets.locale_dates("hu")
    x_train, x_test = map(corpus.source.encode, (corpus.train.sources, corpus.test.sources))
    y_train, y_test = map(corpus.target.encode, (corpus.train.targets, corpus.test.targets))
    (model,) = translation.train(
        lambda: translation.recurrent_translator(
            len(corpus.source), len(corpus.target), time=x_train.shape[1], units=_UNITS
        ),
        x_train,
        y_train,
        seeds=[_SEED],
        steps=_STEPS,
        learning_rate=_LEARNING_RATE,
    )
    place = next(i for i, date in enumerate(corpus.test.sources) if len(date) <= _CHARACTERS)
    x = x_test[place : place + 1]
    # It reads its own words, as it would in use.
    y = translation.translate(model, x, y_test.shape[1])
    read = [*corpus.source.tokens_of(x[0]), "end"]
    written = [*corpus.target.tokens_of(y[0]), "end"]
    weights = translation.alignment(model, x, y)[0, : len(written), : len(read)]
    return {
        "read": read,
        "written": written,
        "weights": [[round(float(weight), 3) for weight in row] for row in weights],
        "right": int(translation.exact_match(model, x_test, y_test).sum()),
        "dates": len(corpus.test),
        "run": {"seed": _SEED, "steps": _STEPS, "rate": _LEARNING_RATE, "units": _UNITS},
    }


if __name__ == "__main__":
    NUMBERS.write_text(json.dumps(trained_alignment(), ensure_ascii=False) + "\n", encoding="utf-8")
