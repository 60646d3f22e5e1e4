"""How every page is made: one style sheet, no script, no request, all text escaped and bounded."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from autograder.reports.text import clean, shortened
from autograder.translation.catalogue import language, translate

TEMPLATES = Path(__file__).with_name("templates")
# No text of a submission is longer on a page, in characters.
TEXT_LIMIT = 28_000


def render(template: str, **facts: Any) -> str:
    """Return a page of HTML that a template makes of what it is to show."""
    style, policy = _style()
    words = {"translate": translate, "language": language()}
    return _templates().get_template(template).render(style=style, policy=policy, **words, **facts)


def is_ours(page: bytes) -> bool:
    """Return whether a page was made here, and not by nbgrader: ours opens with its policy."""
    return b"Content-Security-Policy" in page[:500]


@cache
def _style() -> tuple[Markup, str]:
    """Return the style sheet, and the policy that allows this one, PNG in the page, and no more."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return Markup(style), policy


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters["number"] = lambda value: f"{value:.10g}"
    environment.filters["rounded"] = lambda value: f"{value:.1f}".removesuffix(".0")
    environment.filters["percent"] = lambda part, whole: f"{100 * part / whole:.0f} %"
    environment.filters["seconds"] = _duration
    environment.filters["delay"] = _delay
    environment.filters["with_code"] = _with_code
    # Markup and pictures that `cells` has made; a text of a submission never comes here.
    environment.filters["made_by_us"] = Markup
    return environment


def _finalized(value: Any) -> Any:
    """Clean every text on its way into a page, and bound it; markup is our own and passes."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(shortened(value, TEXT_LIMIT))
    return value


def _with_code(sentence: str) -> Markup:
    """Make code of what stands between backticks, as in a notebook; all else is escaped."""
    parts = clean(shortened(sentence, TEXT_LIMIT)).split("`")
    if len(parts) % 2 == 0:  # one without its partner
        return escape("`".join(parts))
    code = Markup("<code>{}</code>")
    return Markup("").join(
        code.format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"


def _delay(seconds: float) -> str:
    minutes = max(round(seconds / 60), 1)
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days == 1:
        return translate("1 day {hours} h", hours=hours)
    if days:
        return translate("{days} days {hours} h", days=days, hours=hours)
    if hours:
        return translate("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return translate("{minutes} min", minutes=minutes)
