"""Where submissions run: limits, sandbox, fork server and the bounded session."""
