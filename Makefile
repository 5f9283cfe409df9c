# Each target is a thin line over a plain command; the README gives those too.
#
#   make lab           open the course in JupyterLab          make lab EDITION=zh ARGS="--no-browser --port 8890"
#   make test          everything that is tested
#   make bench         speed and memory, as ratios measured in one run
#   make notebooks     run all notebooks again and clean them
#   make translations  carry code cells to the Chinese edition, list the prose that is behind
#   make lint          style of code and notebooks

PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c "import sys; sys.exit(sys.version_info < (3, 11))" 2>/dev/null && echo $$p && break; done)
RUN := .venv/bin/python -m

EDITION := en

# In a container you are often root, which JupyterLab only accepts when told.
ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=120 --nbval-sanitize-with=tests/nbval_sanitize.cfg

.PHONY: lab test bench notebooks translations lint

lab: .venv/ready
	$(RUN) jupyter lab --LabApp.default_url=/lab/tree/notebooks/$(EDITION)/README.md $(ROOT) $(ARGS)

test: .venv/ready-to-test
	$(RUN) pytest -n auto --maxprocesses 4 --dist loadfile $(NBVAL) --ignore tests/browser tests notebooks
	$(RUN) pytest tests/browser

bench: .venv/ready-to-test
	.venv/bin/python tests/bench/blockwise.py
	.venv/bin/python tests/bench/start.py
	.venv/bin/python tests/bench/paint.py
	.venv/bin/python tests/bench/memory.py

notebooks: .venv/ready
	.venv/bin/python notebooks/authoring/execute.py

translations: .venv/ready
	.venv/bin/python notebooks/authoring/translations.py

lint: .venv/ready-to-test
	$(RUN) ruff check
	$(RUN) ruff format --check

.venv/ready: requirements.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "The course needs Python 3.11 or newer, and none was found: install it from https://www.python.org/downloads/. 课程需要 Python 3.11 或更新的版本，请从上面的网址安装。"; exit 1; }
	@echo "Installing the course into .venv: once, a minute or two. 正在把课程装进 .venv，只需一次，要一两分钟。"
	test -x .venv/bin/pip || $(PYTHON) -m venv .venv
	$(RUN) pip install --quiet --disable-pip-version-check -r requirements.txt
	PATH="$(CURDIR)/.venv/bin:$$PATH" binder/postBuild
	touch $@

.venv/ready-to-test: .venv/ready
	$(RUN) pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@
