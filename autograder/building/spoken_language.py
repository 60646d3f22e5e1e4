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

from autograder.building.markdown_messages import reworded
from autograder.course import chapters
from autograder.course.chapters import Chapter
from autograder.course_error import CourseError, unknown
from coursekit.languages import ENGLISH, LOCALES, translations

# Words that every page may have, such as "Answer" on a fold.
SHARED = "site"

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def language() -> str:
    """Return the language in which pages and notebooks are made now."""
    return _language.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Make pages and notebooks in a language; `CourseError` for one that the course has not."""
    if language not in (ENGLISH, *LOCALES):
        raise unknown("language", language, (ENGLISH, *LOCALES))
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def speak(language: str) -> None:
    """Make all pages of this process in a language."""
    _language.set(language)


def say(message: str, **fields: object) -> str:
    """Translate words that pages share, and fill in their fields."""
    said = words(SHARED).get(message, message)
    return said.format(**fields) if fields else said


def in_language(page: str, text: str) -> str:
    """Translate Markdown of a page, named as Sphinx names it; what is missing stays English."""
    if language() == ENGLISH:
        return text
    said = words(page)
    return reworded(text, lambda message: said.get(message, message))


def words(page: str) -> Mapping[str, str]:
    """Return what has been translated of a page, the words that all pages share included."""
    return {} if language() == ENGLISH else _words(page, LOCALES[language()])


@cache
def _words(page: str, locale: str) -> Mapping[str, str]:
    shared = {} if page == SHARED else _words(SHARED, locale)
    return {**shared, **translations(catalogue_path(page, locale), locale)}


def catalogue_path(page: str, locale: str) -> Path:
    """Say where the catalogue of a page lies."""
    return chapters.ROOT / "book" / "locale" / locale / "LC_MESSAGES" / f"{page}.po"


def kit_catalogue(domain: str, locale: str) -> Path:
    """Say where a catalogue of coursekit lies."""
    return chapters.ROOT / "coursekit" / "locale" / locale / "LC_MESSAGES" / f"{domain}.po"


def is_translated(stem: str) -> bool:
    """Say whether a chapter has a catalogue in the language that is spoken."""
    if language() == ENGLISH:
        return True
    return catalogue_path(f"notebooks/{stem}/lesson", LOCALES[language()]).exists()


def require_translation(stem: str) -> None:
    """Raise `CourseError` when a chapter is not translated into the language that is spoken."""
    if not is_translated(stem):
        there = [other for other in chapters.chapter_stems() if is_translated(other)]
        raise CourseError(
            f'{stem} is not translated into "{language()}"; choose one of {", ".join(there)}'
        )


def chapter_in_language(chapter: Chapter) -> Chapter:
    """Return a chapter's assignment with its texts in the language that is spoken."""
    if language() == ENGLISH:
        return chapter
    page, lesson = (f"notebooks/{chapter.stem}/{name}" for name in ("assignment", "lesson"))
    exercises = tuple(
        replace(
            exercise,
            title=words(page).get(exercise.title, exercise.title),
            text=in_language(page, exercise.text),
            lesson=words(lesson).get(exercise.lesson, exercise.lesson),
        )
        for exercise in chapter.exercises
    )
    closing = tuple(
        (kind, in_language(page, text) if kind == "markdown" else text)
        for kind, text in chapter.closing
    )
    opening = in_language(page, chapter.opening)
    return replace(chapter, opening=opening, exercises=exercises, closing=closing)
