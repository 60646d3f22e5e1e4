"""What comes in: submissions found, chosen and rebuilt without trusting any of it."""
