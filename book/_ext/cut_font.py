"""Cut the Chinese font to the characters that the Chinese edition uses.

    python -m bookext.cut_font NotoSansCJK-Regular.ttc

Debian has the font in `fonts-noto-cjk`. Three files are written: one with the words of the figures,
which lies in coursekit, where Matplotlib reads it; one for the Chinese pages; and one for the
English pages, which only write the name of the Chinese edition. Run it when a test finds a
character missing.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

from bookext.translated_pages import EDITIONS
from fontTools import subset
from fontTools.ttLib import TTCollection

from autograder.course import chapters
from autograder.translation.catalogue import SHARED, catalogue_path, kit_catalogue_path
from coursekit.figures.style import CHINESE
from coursekit.languages import LOCALES, translations

FOR_FIGURES = chapters.ROOT / "coursekit" / "figures" / "noto-sans-sc.otf"
FOR_PAGES = chapters.ROOT / "book" / "_static" / "fonts" / "noto-sans-sc.woff2"
FOR_LINK = FOR_PAGES.with_stem("noto-sans-sc-link")
# What Sphinx and its theme write in Chinese: their words change with their versions, so the common
# ones are simply there.
_THEME = (
    "上一页下节搜索内容目录导航切换侧边栏主题亮暗自动下载源文件打开关闭全屏作者版权所"
    "有最后更新返回顶部结果匹配没有找到请输入关键词正在准备索引"
)


def characters_of_figures() -> set[str]:
    """Return the characters that Matplotlib draws.

    ASCII is among them, because words beside a formula are drawn in this font alone.
    """
    locale = LOCALES["zh"]
    drawn = [kit_catalogue_path(domain, locale) for domain in ("coursekit", "figures")]
    # The map of the course is drawn from the words of the site.
    words = _characters([*drawn, catalogue_path(SHARED, locale)])
    return words | {character for character in map(chr, range(128)) if character.isprintable()}


def characters_of_pages() -> set[str]:
    """Return the characters that the pages show, those of the figures included."""
    folders = (chapters.ROOT / room / "locale" for room in ("book", "coursekit"))
    files = [path for folder in folders for path in sorted(folder.rglob("*.po"))]
    return _characters(files) | set(_THEME)


def characters_of_link() -> set[str]:
    """Return the characters of the edition's own name."""
    return set(EDITIONS["zh"][1])


def _characters(files: Iterable[Path]) -> set[str]:
    locale = LOCALES["zh"]
    texts = (text for path in files for text in translations(path, locale).values())
    return {character for text in texts for character in text if ord(character) >= 0x2000}


def main(collection: Path) -> None:
    """Write the three files from the collection of fonts that has the whole font."""
    fonts = TTCollection(collection).fonts
    number = next(i for i, font in enumerate(fonts) if font["name"].getDebugName(1) == CHINESE)
    for path, characters, flavor in (
        (FOR_FIGURES, characters_of_figures(), None),
        (FOR_PAGES, characters_of_pages(), "woff2"),
        (FOR_LINK, characters_of_link(), "woff2"),
    ):
        options = subset.Options(flavor=flavor, hinting=False, layout_features=[])
        options.font_number = number
        font = subset.load_font(collection, options)
        drawn = subset.Subsetter(options)
        drawn.populate(unicodes=map(ord, characters))
        drawn.subset(font)
        subset.save_font(font, path, options)
        print(f"{path.relative_to(chapters.ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bookext.cut_font")
    parser.add_argument("collection", type=Path, help="the whole font, NotoSansCJK-Regular.ttc")
    main(parser.parse_args().collection)
