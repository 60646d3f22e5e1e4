"""Files that are there whole or not at all."""

import os
from pathlib import Path


def replace_file(path: str | Path, content: str | bytes, to_disk: bool = False) -> None:
    """Write a file's content (text or bytes), and its folder, so that no reader sees half of it.

    With ``to_disk`` the content is on the disk, not only on its way there, before it counts.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    with open(draft, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        if to_disk:
            file.flush()
            os.fsync(file.fileno())
    draft.replace(path)
