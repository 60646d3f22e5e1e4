"""What builds notebooks from the course: release, lessons, bundle, a new chapter."""
