"""The numbers the course is taught on, each with its provenance in ``coursekit/data``."""

from importlib.resources import files

import pandas as pd


def load_sunspots():
    """Load the monthly mean relative sunspot numbers, January 1749 to December 1983.

    The series is recorded solar activity with a cycle of about eleven years: the standard small
    example of a real, noisy, almost periodic series.

    Returns
    -------
    pandas.Series
        2,820 floats named ``sunspots`` under a monthly ``DatetimeIndex`` named ``month``; from 0.0
        to 253.8, no value missing. The unit is the relative sunspot number (no dimension).

    Notes
    -----
    Andrews, D. F. and Herzberg, A. M. (1985), *Data: A Collection of Problems from Many Fields for
    the Student and Research Worker*, Springer. ``coursekit/data/README.md`` says how the file was
    made.

    Examples
    --------
    >>> load_sunspots().head(3).to_list()
    [58.0, 62.6, 70.0]
    """
    with files("coursekit").joinpath("data/sunspots.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, parse_dates=["month"], index_col="month")
    # `asfreq("MS")` gives the same and takes ten times as long.
    return table["sunspots"].to_period("M").to_timestamp()


def load_towns():
    """Load the names of 627 English towns, a small text to learn spelling from.

    Returns
    -------
    list of str
        In alphabetical order, one capital letter each, 3 to 14 letters, no space or hyphen.

    Notes
    -----
    ``coursekit/data/README.md`` says where the list comes from.

    Examples
    --------
    >>> load_towns()[:3]
    ['Abingdon', 'Accrington', 'Alnwick']
    """
    return files("coursekit").joinpath("data/towns.txt").read_text(encoding="utf-8").split()
