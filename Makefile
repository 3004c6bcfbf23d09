# Two commands are all a newcomer needs: `make demo` runs the main job, `make test` proves it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# What measures time, looks after a whole machine or kills judges at odd moments runs alone; all other tests two files at a time.
ALONE := tests/checks/timing tests/cli tests/redteam tests/workers tests/world tests/test_cli.py tests/test_demo.py \
	tests/test_examples.py tests/test_kill.py tests/test_tutorial.py tests/test_verify.py
TOGETHER := -n 2 --dist loadfile $(ALONE:%=--ignore=%)

.PHONY: demo demo-real test test-all lint bench bench-aa bench-ab bench-cost bench-pairs bench-peers redteam honest fuzz clean help

help:
	@echo "make demo       verify a bundled sample: one honest patch, three cheats"
	@echo "make demo-real  verify two real release pairs (downloads them)"
	@echo "make test       lint and the tests       make test-all  the slow ones too"
	@echo "make redteam    the attack suite, each attack with and without its defence"
	@echo "make honest     release pairs of real projects: nobody honest is accused (downloads them)"
	@echo "make fuzz       ten minutes of made-up messages, values and diffs"
	@echo "make bench-aa   how often what did not change is called changed   make bench-ab   what is seen of known costs"
	@echo "make bench-pairs whether real pairs of releases get the same verdicts again (downloads them)"
	@echo "make bench-cost what the sandbox and the outside clock cost, and whether they change a ratio"
	@echo "make bench-peers  truelap beside asv continuous and A-B-B-A rounds, in the same minutes (installs asv)"
	@echo "make lint       ruff, mypy, import-linter  make bench    speed and cost of truelap itself"

$(READY): pyproject.toml constraints.txt scripts/install-bubblewrap.sh
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	sh scripts/install-bubblewrap.sh $(BIN)/python
	touch $(READY)

demo: $(READY)
	$(BIN)/truelap demo

demo-real: $(READY)
	$(BIN)/python examples/real.py

lint: $(READY)
	$(BIN)/ruff check src tests bench examples/real.py examples/honest.py
	$(BIN)/ruff format --check src tests bench examples/real.py examples/honest.py
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -Im pytest -m "not slow" $(TOGETHER)
	$(BIN)/python -Im pytest -m "not slow" $(ALONE)

test-all: lint
	$(BIN)/python -Im pytest $(TOGETHER)
	$(BIN)/python -Im pytest $(ALONE)

bench: $(READY)
	$(BIN)/python -I bench/run.py

bench-pairs: $(READY)
	$(BIN)/python -I bench/pairs.py $(BENCH)

bench-cost: $(READY)
	$(BIN)/python -I bench/cost.py $(BENCH)

# BENCH="--minutes 30 --neighbour" and so on; each run adds to bench/results.
bench-aa: $(READY)
	$(BIN)/python -I bench/aa.py $(BENCH)

bench-ab: $(READY)
	$(BIN)/python -I bench/ab.py $(BENCH)

bench-peers: $(READY)
	$(BIN)/python -I bench/peers.py $(BENCH)

honest: $(READY)
	$(BIN)/python examples/honest.py

redteam: $(READY)
	$(BIN)/truelap redteam --ablate

fuzz: $(READY)
	TRUELAP_FUZZ_S=$${TRUELAP_FUZZ_S:-600} $(BIN)/python -Im pytest tests/fuzz --timeout=0

clean:
	rm -rf $(VENV) demo-out demo-real-out
