"""What instructors run: release, bundle, grade, report."""

import sys

# Where the package `rfc3987_syntax` is, jsonschema builds a grammar of the web's addresses, for a
# second in every process that reads a notebook, and no notebook's schema asks for it. With None its
# import fails, as if it were not installed. This must stand before anything imports jsonschema.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
