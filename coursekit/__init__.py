"""What lessons and assignments import: data, figures and the checks of the exercises."""
