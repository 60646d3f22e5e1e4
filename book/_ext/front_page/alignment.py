"""The figure of the front page that moves: a translator's alignment, written row by row.

The numbers are those of a network of chapter 4, which `bookext.front_page.train_alignment` trains.
What the reader sees first, and on paper and without JavaScript, is the whole map. `alignment.js`
then writes it token by token.
"""

import html
import json
from pathlib import Path
from typing import Any

from autograder.translation.catalogue import translate
from coursekit.figures.page import FILES, unique_prefix
from coursekit.vocabulary import join_words

_HERE = Path(__file__).parent
# In units of the drawing, of which a letter is 18 high.
_ROW, _TOP, _LEFT, _GAP = 29, 74, 88, 2
_FAINTEST = 0.02  # a weight below it is not drawn


def load_alignment() -> dict[str, Any]:
    """Return what `train_alignment` has written down."""
    return json.loads((_HERE / "alignment.json").read_text(encoding="utf-8"))


def alignment_figure(caption: str) -> str:
    """Return the figure as HTML; ``{right}`` and ``{dates}`` in the caption become the numbers."""
    numbers = load_alignment()
    written = numbers["written"]
    so_far = [join_words(written[: step + 1]) for step in range(len(written) - 1)]
    so_far += [so_far[-1]] * 2  # the end, and the whole map
    spoken = [
        translate(
            "{token}, read from {tokens}", token=token, tokens=_heaviest(numbers["read"], row)
        )
        for token, row in zip(written, numbers["weights"], strict=True)
    ]
    steps = json.dumps(
        {"written": so_far, "spoken": [*spoken, translate("the whole map")]}, ensure_ascii=False
    )
    style = FILES.joinpath("figure.css").read_text(encoding="utf-8")
    slider = unique_prefix(numbers)
    last = len(written)
    return "\n".join(
        [
            '<figure class="course-figure alignment">',
            f"<style>\n{style}{_read('alignment.css')}</style>",
            _drawing(numbers),
            '<div class="dials" hidden><div class="dial">'
            '<span class="steps"><button type="button" data-play '
            f'data-pause="{translate("Pause")}">{translate("Play")}</button></span>'
            f'<label for="{slider}">{translate("token")}</label><input type="range" id="{slider}" '
            f'min="0" max="{last}" value="{last}" '
            'autocomplete="off"><span class="so-far" lang="hu"></span></div></div>',
            f'<script type="application/json">{steps}</script>',
            f"<script>\n{_read('alignment.js')}</script>",
            f"<figcaption>{html.escape(caption.format(**numbers))}</figcaption>",
            "</figure>",
        ]
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _heaviest(read: list[str], row: list[float]) -> str:
    """Name the tokens that hold more than a quarter of a row's weight, the heaviest first."""
    weights = sorted(zip(row, read, strict=True), reverse=True)
    return translate(" and ").join(
        f"{token} ({weight:.2f})" for weight, token in weights if weight > 0.25
    )


def _drawing(numbers: dict[str, Any]) -> str:
    read, written, weights = (numbers[name] for name in ("read", "written", "weights"))
    widths = [max(26, 9.5 * len(token) + 12) for token in read]
    starts = [_LEFT + sum(widths[:place]) for place in range(len(widths))]
    width, height = _LEFT + sum(widths) + 2, _TOP + _ROW * len(written) + 4
    middles = [start + wide / 2 for start, wide in zip(starts, widths, strict=True)]
    lights = "".join(
        f'<rect x="{start + _GAP:g}" y="12" width="{wide - 2 * _GAP:g}" height="30" rx="5"/>'
        for start, wide in zip(starts, widths, strict=True)
    )
    words = "".join(
        f'<text x="{middle:g}" y="33">{html.escape(token)}</text>'
        for middle, token in zip(middles, read, strict=True)
    )
    rows = []
    for place, (token, row) in enumerate(zip(written, weights, strict=True)):
        y = _TOP + _ROW * place
        cells, beams = [], []
        for start, wide, middle, weight in zip(starts, widths, middles, row, strict=True):
            if weight >= _FAINTEST:
                cells.append(
                    f'<rect x="{start + _GAP:g}" y="{y + _GAP}" width="{wide - 2 * _GAP:g}" '
                    f'height="{_ROW - 2 * _GAP}" rx="3" fill-opacity="{weight:g}"/>'
                )
                beams.append(f'<path d="M{middle:g} {y}V46" stroke-width="{12 * weight:.1f}"/>')
        rows.append(
            f'<g class="row" data-weights="{" ".join(f"{weight:g}" for weight in row)}">'
            f'<rect class="line" x="2" y="{y}" width="{width - 4:g}" height="{_ROW}" rx="4"/>'
            f'<g class="beams">{"".join(beams)}</g><g class="cells">{"".join(cells)}</g>'
            f'<text x="{_LEFT - 10}" y="{y + 21}">{html.escape(token)}</text></g>'
        )
    alt = translate(
        "A map with the tokens of the English date {read} as columns and those of the Hungarian "
        "date {written} as rows. The year, which Hungarian writes first, takes its weight from the "
        "end of the English date, and the weekday, written last, from its beginning.",
        read=join_words(read[:-1]),
        written=join_words(written[:-1]),
    )
    return (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {width:g} {height:g}" '
        f'fill="currentColor"><g class="lights">{lights}</g><g class="words">{words}</g>'
        f'<g class="sides"><text x="{_LEFT - 10}" y="32">{translate("reads →")}</text>'
        f'<text x="{_LEFT - 10}" y="62">{translate("writes ↓")}</text></g>{"".join(rows)}</svg>'
    )
