"""Figures that the reader moves: one picture for every stop of one or two sliders."""

import gzip
import html
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from coursekit.figures.page import FILES, display_figure, one_line, unique_prefix
from coursekit.figures.svg import draw_svg, markup
from coursekit.figures.words import shown, translate

MAX_COMPRESSED_BYTES = 150_000
# JupyterLab would take the arrow keys and Enter for commands of its own.
_OWN_KEYS = 'data-lm-suppress-shortcuts="true"'


@dataclass(frozen=True)
class Dial:
    """A slider: the values at its stops and the text that is shown for each."""

    label: str
    values: tuple[Any, ...]
    texts: tuple[str, ...]
    start: int
    play: bool


def dial(
    label: str,
    values: Sequence[Any],
    start: Any = None,
    format: str = "{:g}",
    play: bool = False,
) -> Dial:
    """Return a slider for `move`.

    Parameters
    ----------
    label : str
        What is set, in the reader's words, with its unit if it has one.
    values : sequence
        One value for every stop.
    start : optional
        One of `values`, at which the slider stands at first; by default the first.
    format : str
        How a value is written, a format string such as ``"{:.1f} s"``.
    play : bool
        Add buttons that go back, go on and play all stops one after another.

    Raises
    ------
    ValueError
        When there is no label, there are fewer than two values, or `start` is not one of them.
    """
    values = tuple(values)
    if not label.strip():
        raise ValueError("label is empty: say in a word or two what the slider sets")
    if len(values) < 2:
        raise ValueError(f'the slider "{label}" has {len(values)} value(s); it needs two or more')
    texts = tuple(_written(format, value) for value in values)
    # Compared as written: 0.1 + 0.2 is 0.3 to those who read it.
    first = texts[0] if start is None else _written(format, start)
    if first not in texts:
        raise ValueError(f'the slider "{label}" starts at {first}, which is not one of its values')
    return Dial(label.strip(), values, texts, texts.index(first), play)


def _written(format: str, value: Any) -> str:
    """Return a value as a reader sees it, with the minus sign that the axes have."""
    return re.sub(r"(?<!\w)-(?=\d)", "\N{MINUS SIGN}", format.format(value))


def move(
    draw: Callable[..., Figure],
    *,
    caption: str,
    alt: str | Callable[..., str],
    name: str | None = None,
    **dials: Dial,
) -> None:
    """Show a figure that the reader moves with one or two sliders.

    ``move(draw, caption=…, alt=…, bias=dial("forget bias", [0, 1, 2]))`` calls ``draw(bias=0)``,
    ``draw(bias=1)`` and ``draw(bias=2)``; two sliders, every combination of their stops. The page
    then needs neither Python nor a network to choose among the pictures. Without JavaScript and
    in print it shows the one at which the sliders start.

    Keep the limits of the axes the same in all pictures, so that only what changes moves.

    Parameters
    ----------
    draw : callable
        Takes a value of each dial by its name and returns a new Matplotlib figure, always of the
        same size.
    caption, name
        As in `show`.
    alt : str or callable
        What a sighted reader would conclude; a function is called with the dials' values, as
        `draw` is, and says it for that state.
    **dials : Dial
        One or two, made by `dial`.

    Raises
    ------
    ValueError
        When `caption` or `alt` is empty, the number of dials is not one or two, the pictures differ
        in size, or all of them together weigh more than 150 kB compressed.
    TypeError
        When `draw` returns something else than a figure.
    """
    caption = one_line("caption", caption)
    if len(dials) not in (1, 2):
        raise ValueError(f"move has {len(dials)} dials; give it one or two, made by figures.dial")
    states = [
        dict(zip(dials, values, strict=True))
        for values in itertools.product(*(each.values for each in dials.values()))
    ]
    alts = [shown(one_line("alt", alt(**state) if callable(alt) else alt)) for state in states]
    dials = {key: _in_language(each) for key, each in dials.items()}
    pictures = [_picture(draw, state) for state in states]
    boxes = {picture.get("viewBox") for picture in pictures}
    if len(boxes) > 1:
        raise ValueError(
            f"the pictures differ in size ({', '.join(sorted(boxes))}); keep it the same"
        )

    first = 0
    for each in dials.values():
        first = first * len(each.values) + each.start
    for picture, words in zip(pictures, alts, strict=True):
        picture.set("aria-label", words)
    drawn = "".join(markup(picture, "") for picture in pictures)
    prefix = unique_prefix(
        drawn, caption, name, [(each.label, each.texts) for each in dials.values()]
    )
    content = "\n".join(
        [
            markup(pictures[first], prefix + "s").replace("<svg", '<svg class="start"', 1),
            _controls(dials, prefix),
            f'<script type="application/json">{_data(pictures, alts, dials, prefix)}</script>',
            f"<script>\n{FILES.joinpath('move.js').read_text(encoding='utf-8')}</script>",
        ]
    )
    weight = len(gzip.compress(content.encode(), mtime=0))
    if weight > MAX_COMPRESSED_BYTES:
        raise ValueError(
            f"the {len(states)} pictures weigh {weight / 1000:.0f} kB compressed; at most "
            f"{MAX_COMPRESSED_BYTES / 1000:.0f} are allowed, so use fewer stops or points"
        )
    display_figure(content, caption, alts[first], name)


def _in_language(each):
    return replace(each, label=shown(each.label), texts=tuple(map(shown, each.texts)))


def _picture(draw, state):
    fig = draw(**state)
    if not isinstance(fig, Figure):
        raise TypeError(f"draw must return a Matplotlib figure, not {type(fig).__name__}")
    picture = draw_svg(fig)
    plt.close(fig)
    return picture


def _data(pictures, alts, dials, prefix):
    """Return the pictures as JSON: each tag that occurs in them once, and each as a list of tags.

    Two stops of a figure share its axes, labels and most of its lines, so nearly all of a picture
    is a list of numbers, of which compression on the way leaves little.
    """
    tags = {}
    frames = []
    for picture in pictures:
        # Without the <svg> element itself, which is there already.
        inner = re.findall(r"<[^>]+>[^<]*", markup(picture, prefix))[1:-1]
        frames.append([tags.setdefault(tag, len(tags)) for tag in inner])
    data = {
        "tags": list(tags),
        "frames": frames,
        "alts": alts if len(set(alts)) > 1 else alts[:1],
        "texts": [each.texts for each in dials.values()],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Inside a script, only these two could end it.
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def _controls(dials, prefix):
    rows = [_slider(each, f"{prefix}-{number}") for number, each in enumerate(dials.values())]
    still = ", ".join(f"{each.label}: {each.texts[each.start]}" for each in dials.values())
    said = translate(
        "In a browser that runs scripts, this figure moves. Here it stands at {state}.",
        state=html.escape(still),
    )
    # What is of no use without the script is shown by it.
    return f'<p class="still">{said}</p>\n<div class="dials" hidden>{"".join(rows)}</div>'


def _slider(each, id):
    text = html.escape(each.texts[each.start])
    # Room for the longest text, or the slider would change its length while it is moved.
    room = f"min({max(map(len, each.texts))}ch, 100%)"
    buttons = (
        (translate("Back"), 'data-step="-1"'),
        (translate("Next"), 'data-step="1"'),
        (translate("Play"), f'data-play data-pause="{translate("Pause")}"'),
    )
    steps = "".join(
        f'<button type="button" {does} {_OWN_KEYS}>{word}</button>' for word, does in buttons
    )
    steps = f'<span class="steps">{steps}</span>' if each.play else ""
    return (
        f'<div class="dial"><label for="{id}">{html.escape(each.label)}</label>'
        f'<input type="range" id="{id}" min="0" max="{len(each.values) - 1}" step="1" '
        f'value="{each.start}" aria-valuetext="{text}" autocomplete="off" {_OWN_KEYS}>'
        f'<output for="{id}" style="min-width: {room}">{text}</output>'
        f"{steps}</div>"
    )
