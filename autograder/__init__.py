"""What instructors run: release, bundle, grade, report."""
