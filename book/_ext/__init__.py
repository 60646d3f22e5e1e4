"""The site, imported as `bookext`: lessons executed, Sphinx extensions for their pages, the PDF."""
