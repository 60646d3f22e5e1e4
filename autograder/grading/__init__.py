"""Who decides and who writes: verdict, run, cluster, journal, gradebook."""
