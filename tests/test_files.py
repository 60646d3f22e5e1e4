"""Files that are there whole or not at all, whoever else writes them."""

import errno
import os
import stat

import pytest

from autograder.files import replace_file


def test_a_file_is_replaced_while_another_process_replaces_it(tmp_path, monkeypatch):
    path = tmp_path / "new" / "page.html"
    replace_file(path, "old")
    fsync = os.fsync

    def fsync_after_another(descriptor):
        monkeypatch.setattr(os, "fsync", fsync)
        replace_file(path, b"theirs")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync_after_another)
    replace_file(path, "ours", to_disk=True)
    assert path.read_text() == "ours" and list(path.parent.iterdir()) == [path]


def test_the_new_file_has_its_name_on_the_disk_too(tmp_path, monkeypatch):
    path, on_disk = tmp_path / "journal", []

    def fsync(descriptor):
        content = path.read_text() if path.exists() else None
        on_disk.append((os.path.samestat(os.fstat(descriptor), tmp_path.stat()), content))

    monkeypatch.setattr(os, "fsync", fsync)
    replace_file(path, "old")
    replace_file(path, "new", to_disk=True)
    assert on_disk == [(False, "old"), (True, "new")]


def test_where_folders_cannot_be_brought_to_the_disk_files_can(tmp_path, monkeypatch):
    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", fsync)
    replace_file(tmp_path / "journal", "new", to_disk=True)
    assert (tmp_path / "journal").read_text() == "new"


def test_a_file_has_the_rights_that_the_umask_leaves(tmp_path):
    (tmp_path / "usual").touch()
    replace_file(tmp_path / "file", "")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_what_cannot_be_replaced_is_named_and_leaves_no_draft(tmp_path):
    (tmp_path / "page.html" / "folder").mkdir(parents=True)
    with pytest.raises(OSError) as raised:
        replace_file(tmp_path / "page.html", "text")
    assert raised.value.filename == str(tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_is_no_character_does_not_keep_a_file_from_being_written(tmp_path):
    replace_file(tmp_path / "page", "caf\udce9 é \ud800")
    assert (tmp_path / "page").read_text(encoding="utf-8") == "caf? é ?"
