"""A Sphinx extension: of the theme's two thousand icons, those that the pages show.

The theme names an icon by a class such as ``fa-bars``; its style sheet says which character that
is, and a font has the drawing.
"""

import re
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx

_FONT = "fa-solid-900.ttf"
_NAME = re.compile(r"\bfa-[a-z0-9-]+")
_ICON_RULE = re.compile(
    r'(?P<icons>\.fa-[a-z0-9-]+:before(?:,\.fa-[a-z0-9-]+:before)*)\{content:"[^"]+"\}'
)
_CHARACTER = re.compile(r"\\(?P<code>[ef][0-9a-f]{3})\b|(?P<itself>[\ue000-\uf8ff])")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("build-finished", _drop_icons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _drop_icons(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.name != "html":
        return
    site = Path(app.outdir)
    shown = set()
    for page in site.rglob("*.html"):
        shown.update(_NAME.findall(page.read_text(encoding="utf-8")))

    def kept(rule: re.Match[str]) -> str:
        return rule[0] if shown.intersection(_NAME.findall(rule["icons"])) else ""

    characters = set()
    for sheet in (site / "_static").rglob("*.css"):
        style = _ICON_RULE.sub(kept, sheet.read_text(encoding="utf-8"))
        sheet.write_text(style, encoding="utf-8")
        for found in _CHARACTER.finditer(style):
            characters.add(int(found["code"], 16) if found["code"] else ord(found["itself"]))

    options = subset.Options(flavor="woff2", hinting=False, layout_features=[])
    # Where it lies depends on the theme's version. Browsers ask for the compressed one beside it.
    (source,) = (site / "_static").rglob(_FONT)
    font = subset.load_font(source, options)
    drawn = subset.Subsetter(options)
    drawn.populate(unicodes=characters)
    drawn.subset(font)
    subset.save_font(font, source.with_suffix(".woff2"), options)
