PYTHON ?= python3
BIN := .venv/bin

.venv/installed: requirements.txt pyproject.toml
	@./system-packages
	$(PYTHON) -c 'import sys; sys.exit(0 if (3, 10) <= sys.version_info[:2] <= (3, 12) else "Python 3.10, 3.11 or 3.12 is needed, this is %d.%d: call make with PYTHON=python3.11" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@
