"""What a student is called in a course folder, whatever a platform or an export says."""

import hashlib
import re

# A student's name has no more characters than nbgrader's column (PostgreSQL holds to that), and no
# more bytes than leave room for an ending in the name of a file.
LONGEST_NAME, MOST_BYTES = 128, 200


def student_name(name: str) -> str:
    """Return the name of a folder or file as one that is text, not too long and safe in every path.

    What had to be changed has a digest of the original in it, so that two never become one.
    """
    safe = "".join("_" if c in '<>:"/\\|?*' or not c.isprintable() else c for c in name)
    safe = safe.strip(" .")
    if safe != name or len(safe) > LONGEST_NAME or len(safe.encode()) > MOST_BYTES:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        # A platform's number stays at the end: by it, its list of the class knows the student.
        number = re.search(r"_[0-9]{1,20}\Z", safe)
        end = f"-{digest[:8]}" + (number[0] if number else "")
        safe = safe.removesuffix(number[0]) if number else safe
        safe = safe.encode()[: MOST_BYTES - len(end)].decode(errors="ignore")
        safe = (safe[: LONGEST_NAME - len(end)] or "unnamed") + end
    return safe or "unnamed"
