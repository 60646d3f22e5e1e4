# Every target does all of its own set-up: Python 3.10, 3.11 or 3.12, make and git are enough.
BIN := .venv/bin
install = $(BIN)/uv pip install --quiet --python $(BIN)/python
BOOK := _build/html/index.html
COMPLETE := _build/html/.complete
SITE_FROM := _config.yml _toc.yml requirements.txt autograder book coursekit notebooks solutions
# Where several processes share the cores, each has one thread: with a thread for every core they would
# hinder one another, which costs a fifth of the processor's time.
one_thread = OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1
execute_lessons = JUPYTER_PATH=$(CURDIR)/_build $(one_thread) $(BIN)/python -m bookext.execute
# One worker more than there are cores, because many tests wait for a process or a time limit.
side_by_side = $(one_thread) $(BIN)/pytest --dist=loadgroup --no-loadscope-reorder --numprocesses=$$(($$(getconf _NPROCESSORS_ONLN) + 1))

# Hundreds of processes are started here. Without compiled files each would compile the course's modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help book book-zh pdf test test-nightly check lab demo notebooks site site-zh clean

help:
	@echo 'make book          build the course as a web site'
	@echo 'make book-zh       build the Chinese edition beside it'
	@echo 'make pdf           print the built course into one PDF; needs Chromium'
	@echo 'make test          check the code, run the tests'
	@echo 'make test-nightly  run the tests that take too long for every push: hours'
	@echo 'make check         release one chapter and test it alone: chapter=ch04_bahdanau_attention'
	@echo 'make lab           open the notebooks in JupyterLab; options="--port 8890" are passed on'
	@echo 'make demo          grade a small class and say where its report is'
	@echo 'make notebooks     build notebooks/ from book/ and solutions/'
	@echo 'make clean         remove what was built, keep .venv'

book: .venv/installed
	@$(MAKE) --no-print-directory site
	@echo 'The course is built. Open $(CURDIR)/$(BOOK)'

book-zh: .venv/installed
	@$(MAKE) --no-print-directory site-zh
	@echo 'The Chinese edition is built. Open $(CURDIR)/_build/html-zh/book/intro.html'

pdf: book
	$(BIN)/python -m bookext.pdf _build/course.pdf
	@echo 'The book is $(CURDIR)/_build/course.pdf'

# The tests that must run alone leave the processor idle for half of their time, waiting for processes and
# time limits. The lessons, at the lowest priority, use it; the tests of the site wait for their outputs.
test: .venv/installed
	@./system-packages
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@$(MAKE) --no-print-directory _build/kernels _build/cache_is_valid
	nice -n 19 env $(execute_lessons) > _build/lessons.log 2>&1 & lessons=$$!; \
	    $(BIN)/pytest -m 'serial and not nightly' $$(grep -l mark.serial tests/test_*.py) \
	        && $(side_by_side) -m 'not serial and not nightly'; passed=$$?; \
	    wait $$lessons || { cat _build/lessons.log; exit 1; }; \
	    exit $$passed

# What an author needs after each change of a chapter, in about a minute.
check: .venv/installed
	@test '$(words $(chapter))' = 1 || { echo 'Name one chapter: make check chapter=ch04_bahdanau_attention' >&2; exit 1; }
	@$(BIN)/autograder release $(chapter)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(side_by_side) -k $(chapter) tests/test_$(chapter).py \
	    $(patsubst %,tests/test_%.py,recording lessons release variants)

test-nightly: .venv/installed
	@./system-packages
	$(side_by_side) -m nightly $(options)

lab: .venv/installed
	$(BIN)/jupyter lab notebooks $(options)

demo: .venv/installed
	@./system-packages grading
	$(BIN)/autograder demo

notebooks: .venv/installed
	$(BIN)/autograder release

# The lessons are executed first, one a core, in forked kernels: otherwise each would spend seconds on
# importing TensorFlow. A lesson whose outputs are in the cache is not executed again.
# Then all pages, whatever has changed: a warning fails the build, and a page that is not read again
# cannot warn. Where nothing has changed since a build without a warning, there is nothing to do.
site: $(COMPLETE)

$(COMPLETE): export JUPYTER_PATH := $(CURDIR)/_build
$(COMPLETE): _build/cache_is_valid _build/kernels $(shell find $(SITE_FROM) -type f -not -name '*.pyc' 2>/dev/null)
	@rm -f $@
	$(execute_lessons)
	@mkdir -p _build/html/_static # when a build fails early, the theme would write its logo to a file of this name
	$(BIN)/jupyter-book build . --all -W -n --keep-going
	@touch $@

# From the same cache: of the lessons, only the translated ones are executed for themselves.
site-zh: export JUPYTER_PATH := $(CURDIR)/_build
site-zh: _build/cache_is_valid _build/kernels
	$(one_thread) $(BIN)/python -m bookext.edition zh

_build/kernels: autograder/kernels/provisioner.py
	@rm -rf $@
	@$(BIN)/python -c "from autograder.kernels.provisioner import write_kernelspec; write_kernelspec('_build', 'python3')"
	@touch $@

# The cache knows a lesson's code, not what the lesson imports. Of the figures' numbers a lesson reads
# its own, which change with its code.
_build/cache_is_valid: requirements.txt $(filter-out %.pyc %/figure_order.json coursekit/checks/% coursekit/locale/%,$(wildcard coursekit/*.* coursekit/*/*.*))
	@rm -rf _build/.jupyter_cache
	@mkdir -p _build
	@touch $@

# The mark is taken away before anything changes and set after everything has worked. Without it
# the environment is made afresh: nobody knows what an interrupted installation left behind. pip would
# take four times as long; it is there to install uv, of the version that is pinned.
.venv/installed: requirements.txt pyproject.toml
	@./system-packages python
	@test -e $@ || { \
	    for python in $(or $(PYTHON),python3 python3.12 python3.11 python3.10); do \
	        $$python -c 'import ensurepip, sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))' \
	            2>/dev/null && break; \
	        python=; \
	    done; \
	    test "$$python" || { \
	        echo "No Python 3.10, 3.11 or 3.12 with its venv module was found" \
	            "($(or $(PYTHON),python3): $$($(or $(PYTHON),python3) --version 2>&1 | head -1)). Name one: make PYTHON=/path/to/python3.11" >&2; \
	        exit 1; \
	    }; \
	    $$python -m venv --clear .venv; \
	}
	@rm -f $@
	$(BIN)/pip install --quiet --disable-pip-version-check "$$(grep '^uv==' requirements.txt)"
	$(install) --compile-bytecode -r requirements.txt
	$(install) --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf _build
