# %% [markdown]
# # Chapter NUMBER · TITLE: the exercises
#
# One exercise, 2 points, about five minutes. The cell below your answer checks it.

# %%
import numpy as np

# %% [markdown] lesson="The first idea"
# ## The running mean
#
# Write the mean of all values up to each step.
#
# `running_mean(x)` → an array of shape `(time,)`, for `x` of shape `(time,)`.
#
# Example: `running_mean(np.array([2.0, 4.0, 9.0]))` → `[2. 3. 5.]`.
#
# <details><summary>Hint</summary>
#
# `np.cumsum` adds up. How many values have been added at each step?
#
# </details>


# %% exercise="running_mean" points=2 difficulty=1 minutes=5
def running_mean(x):
    """Return the mean of the values up to each step; shapes (time,) -> (time,)."""
    ### BEGIN SOLUTION
    return np.cumsum(x) / np.arange(1, len(x) + 1)
    ### END SOLUTION
