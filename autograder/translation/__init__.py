"""What pages and notebooks say in other languages: catalogues, and the messages of Markdown."""
