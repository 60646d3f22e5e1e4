"""What instructors run: release, bundle, grade, report."""

import sys

# Where this package is, jsonschema builds a grammar of the web's addresses, for a second in every
# process that reads a notebook, and no notebook's schema asks for it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
