# Everything a fresh machine with Python >= 3.11 and make needs: each target makes
# the environment it uses, once, and runs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test test-gpu lint docs bench clean

.venv/bin/python:
	$(PYTHON) -m venv .venv

$(STAMP)-%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	touch $@

demo: $(STAMP)-plot
	$(BIN)/kernelweave demo

test: $(STAMP)-test
	$(BIN)/python -m pytest -n 2

# On a machine with CUDA, where PyTorch or CuPy are installed.
test-gpu: $(STAMP)-test
	KERNELWEAVE_DEVICE=cuda $(BIN)/python -m pytest tests/arrays

lint: $(STAMP)-lint $(STAMP)-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

docs: $(STAMP)-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# MKLpy and himalaya are measured against, never depended on.
$(STAMP)-peers: | $(STAMP)-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check MKLpy himalaya
	touch $@

bench: $(STAMP)-peers
	$(BIN)/python benchmarks/discriminant.py
	$(BIN)/python benchmarks/selection.py
	$(BIN)/python benchmarks/interval_coverage.py
	$(BIN)/python benchmarks/interleaved.py
	$(BIN)/python benchmarks/stalls.py
	$(BIN)/python benchmarks/machines.py
	$(BIN)/python benchmarks/performance/run.py
	$(BIN)/python benchmarks/scale.py

clean:
	rm -rf .venv build dist docs/_build docs/api docs/auto_examples
