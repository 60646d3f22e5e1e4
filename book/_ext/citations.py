"""A Sphinx extension: links from a reference back to the sections that cite it."""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from autograder.translation.catalogue import translate


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("doctree-read", _note_sections)
    app.add_post_transform(_LinkBack)
    return {"parallel_read_safe": False, "parallel_write_safe": True}


def _note_sections(app: Sphinx, document: nodes.document) -> None:
    """Remember which section each citation of a page stands in, by the anchor of the citation."""
    titles = app.env.metadata[app.env.docname].setdefault("citation_sections", {})
    for section in document.findall(nodes.section):
        title = section.next_node(nodes.title).astext()
        for citation in section.findall(pending_xref):
            if citation["refdomain"] == "cite":
                # A section inside this one comes later and says it more exactly.
                titles.update(dict.fromkeys(citation["ids"], title))


class _LinkBack(SphinxPostTransform):
    default_priority = 6  # the list of references is made at 5
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        domain: Any = self.env.get_domain("cite")
        keys = {citation.citation_id: citation.key for citation in domain.citations}
        for entry in self.document.findall(nodes.citation):
            (key,) = {keys[anchor] for anchor in entry["ids"]}
            places: dict[tuple[str, str], str] = {}
            for citing in domain.citation_refs:
                if key in {target.key for target in citing.targets}:
                    sections = self.env.metadata[citing.docname]["citation_sections"]
                    place = citing.docname, sections[citing.citation_ref_id]
                    places.setdefault(place, citing.citation_ref_id)
            entry += nodes.paragraph(
                "", translate("Cited in "), *self._links(places), classes=["cited-in"]
            )

    def _links(self, places: dict[tuple[str, str], str]) -> Iterator[nodes.Node]:
        in_order = sorted(places.items(), key=lambda place: place[0][0])
        for count, ((page, section), anchor) in enumerate(in_order):
            if count:
                yield nodes.Text(translate("; "))
            number = self.env.toc_secnumbers.get(page, {}).get("")
            name = (
                translate("chapter {number}", number=number[0])
                if number
                else self.env.titles[page].astext()
            )
            uri = f"{self.app.builder.get_relative_uri(self.env.docname, page)}#{anchor}"
            yield nodes.reference(
                "", f"{name}{translate(', ')}{section}", internal=True, refuri=uri
            )
