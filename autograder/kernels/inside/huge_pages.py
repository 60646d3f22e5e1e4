"""Puts the fork server's memory into huge pages, so that a fork has less to copy."""

import ctypes

from .linux import LIBC

MADV_COLLAPSE, HUGE_PAGE = 25, 2 << 20


def use_huge_pages() -> None:
    """Put this process's memory into huge pages where Linux can (from 6.1 on).

    Forking then copies a page table of hundreds of entries, not of a hundred thousand.
    """
    with open("/proc/self/maps") as file:
        regions = [line.split() for line in file]
    for addresses, permissions, _, _, inode, *_ in regions:
        if permissions.startswith("rw") and inode == "0":
            begin, end = (int(address, 16) for address in addresses.split("-"))
            begin, end = -(-begin // HUGE_PAGE) * HUGE_PAGE, end // HUGE_PAGE * HUGE_PAGE
            if begin < end:
                # What cannot be gathered stays as it is.
                LIBC.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), MADV_COLLAPSE)
