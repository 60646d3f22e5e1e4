"""Build the course in another language, beside the English edition.

    python -m bookext.edition zh

The pages, the lessons' outputs and the settings are those of the English edition; only a lesson
whose figures have other words is executed for itself.
"""

import argparse
import sys
from typing import Any

import yaml
from bookext.execute import execute_lessons
from bookext.translated_pages import EDITIONS
from jupyter_book.sphinx import build_sphinx

from autograder.course import chapters
from autograder.course_error import CourseError
from autograder.files import replace_file
from autograder.translation.catalogue import set_language, translate
from coursekit.languages import ENGLISH, LOCALES


def build(language: str) -> int:
    """Build an edition into its folder of `_build`; return 0 when nothing was amiss."""
    set_language(language)
    execute_lessons()
    root, made = chapters.ROOT, chapters.ROOT / "_build"
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    config["title"] = translate(config["title"])
    sphinx = config["sphinx"]["config"]
    sphinx["language"] = LOCALES[language]
    theme = sphinx["html_theme_options"]
    theme["logo"]["text"] = config["title"]
    theme["search_bar_text"] = translate("Search the course")
    theme["toc_title"] = translate("Contents")
    for name, settings in (("toc", _titled(chapters.table_of_contents())), ("config", config)):
        text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)
        replace_file(made / f"{name}-{language}.yml", text)
    result = build_sphinx(
        root,
        made / EDITIONS[language][0],
        path_config=made / f"config-{language}.yml",
        noconfig=True,
        confoverrides={
            "external_toc_path": str(made / f"toc-{language}.yml"),
            "latex_individualpages": False,  # it must be said
            "nitpicky": True,
        },
        doctreedir=made / f".doctrees-{language}",
        freshenv=True,
        warningiserror=True,
        keep_going=True,
    )
    return int(bool(result))


def _titled(part: Any) -> Any:
    """Return the table of contents with its captions and titles translated."""
    if isinstance(part, list):
        return [_titled(each) for each in part]
    if isinstance(part, dict):
        return {
            key: translate(value) if key in ("caption", "title") else _titled(value)
            for key, value in part.items()
        }
    return part


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bookext.edition")
    parser.add_argument("language", choices=sorted({*EDITIONS} - {ENGLISH}))
    try:
        sys.exit(build(parser.parse_args().language))
    except CourseError as error:
        sys.exit(str(error))
