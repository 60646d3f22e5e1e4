"""The site: lessons executed side by side, and the Sphinx extensions that their pages need."""
