"""The language in which pages and notebooks are made, and its catalogues of gettext.

The catalogues lie where `sphinx-intl` puts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from pathlib import Path

from autograder.course import chapters
from autograder.course.chapters import Chapter
from autograder.course_error import CourseError, unknown
from autograder.translation.markdown_messages import reworded
from coursekit.languages import ENGLISH, LOCALES, translations

# Words that every page may have, such as "Answer" on a fold.
SHARED = "site"

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language in which pages and notebooks are made now."""
    return _language.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Make pages and notebooks in a language; `CourseError` for one that the course has not."""
    if language not in (ENGLISH, *LOCALES):
        raise unknown("language", language, (ENGLISH, *LOCALES))
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def set_language(language: str) -> None:
    """Make all pages of this process in a language."""
    _language.set(language)


def translate(message: str, **fields: object) -> str:
    """Translate words that pages share, and fill in their fields."""
    translated = catalogue_of(SHARED).get(message, message)
    return translated.format(**fields) if fields else translated


def translate_markdown(page: str, text: str) -> str:
    """Translate Markdown of a page, named as Sphinx names it; what is missing stays English."""
    if language() == ENGLISH:
        return text
    catalogue = catalogue_of(page)
    return reworded(text, lambda message: catalogue.get(message, message))


def catalogue_of(page: str) -> Mapping[str, str]:
    """Return what has been translated of a page, the words that all pages share included."""
    return {} if language() == ENGLISH else _catalogue_of(page, LOCALES[language()])


@cache
def _catalogue_of(page: str, locale: str) -> Mapping[str, str]:
    shared = {} if page == SHARED else _catalogue_of(SHARED, locale)
    return {**shared, **translations(catalogue_path(page, locale), locale)}


def catalogue_path(page: str, locale: str) -> Path:
    """Say where the catalogue of a page lies."""
    return chapters.ROOT / "book" / "locale" / locale / "LC_MESSAGES" / f"{page}.po"


def kit_catalogue_path(domain: str, locale: str) -> Path:
    """Say where a catalogue of coursekit lies."""
    return chapters.ROOT / "coursekit" / "locale" / locale / "LC_MESSAGES" / f"{domain}.po"


def is_translated(stem: str) -> bool:
    """Say whether a chapter has a catalogue in the current language."""
    if language() == ENGLISH:
        return True
    return catalogue_path(f"notebooks/{stem}/lesson", LOCALES[language()]).exists()


def require_translation(stem: str) -> None:
    """Raise `CourseError` when a chapter is not translated into the current language."""
    if not is_translated(stem):
        there = [other for other in chapters.chapter_stems() if is_translated(other)]
        raise CourseError(
            f'{stem} is not translated into "{language()}"; choose one of {", ".join(there)}'
        )


def translate_chapter(chapter: Chapter) -> Chapter:
    """Return a chapter's assignment with its texts in the current language."""
    if language() == ENGLISH:
        return chapter
    page, lesson = (f"notebooks/{chapter.stem}/{name}" for name in ("assignment", "lesson"))
    exercises = tuple(
        replace(
            exercise,
            title=catalogue_of(page).get(exercise.title, exercise.title),
            text=translate_markdown(page, exercise.text),
            lesson=catalogue_of(lesson).get(exercise.lesson, exercise.lesson),
        )
        for exercise in chapter.exercises
    )
    closing = tuple(
        (kind, translate_markdown(page, text) if kind == "markdown" else text)
        for kind, text in chapter.closing
    )
    opening = translate_markdown(page, chapter.opening)
    return replace(chapter, opening=opening, exercises=exercises, closing=closing)
