# Everything a fresh machine with Python >= 3.11 and make needs: each target makes
# the environment it uses, once, and runs.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test test-lowest test-newest test-wheel test-pages \
  test-shims test-gpu lint docs pictures dist bench clean

.venv/bin/python:
	$(PYTHON) -m venv .venv

# The papers' experiments are a package of their own, which tests and pages need.
BESIDE_test := -e papers
BESIDE_docs := -e papers

$(STAMP)-%: pyproject.toml papers/pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[$*]' $(BESIDE_$*)
	touch $@

demo: $(STAMP)-plot
	$(BIN)/kernelweave demo

test: $(STAMP)-test
	$(BIN)/python -m pytest -n 2

# The lowest versions that pyproject.toml allows, and the newest of all, by uv.
UV ?= uv
LOWEST_PYTHON ?= 3.11
NEWEST_PYTHON ?= 3.14

test-lowest:
	$(UV) venv --clear --python $(LOWEST_PYTHON) .venv-lowest
	$(UV) pip install --python .venv-lowest --resolution lowest-direct \
	  -e '.[test]' -e papers
	.venv-lowest/bin/python -m pytest -n 2

test-newest:
	$(UV) venv --clear --python $(NEWEST_PYTHON) .venv-newest
	$(UV) pip install --python .venv-newest --upgrade -e '.[test]' -e papers
	.venv-newest/bin/python -m pytest -n 2

# What would be uploaded, and whether it is fit for it.
dist:
	rm -rf dist
	$(UV) tool run --from build pyproject-build --outdir dist .
	$(UV) tool run --from build pyproject-build --outdir dist papers
	$(UV) tool run twine check --strict dist/*
	$(UV) tool run check-wheel-contents dist/*.whl
	$(UV) tool run pyroma --min 10 .
	$(UV) tool run pyroma --min 10 papers

# The wheel alone, without any extra.
test-wheel: dist
	$(UV) venv --clear .venv-wheel
	$(UV) pip install --python .venv-wheel dist/kernelweave-[0-9]*.whl
	cd dist && ../.venv-wheel/bin/python ../tests/bare.py

# README, `kernelweave demo` and the pages, with the wheel in the place of this folder.
test-pages: dist
	$(UV) venv --clear .venv-pages
	$(UV) pip install --python .venv-pages \
	  "$$(ls dist/kernelweave-[0-9]*.whl)[test]" dist/kernelweave_papers-*.whl
	.venv-pages/bin/python -P tests/from_wheel.py

# scikit-learn's own tests of its machines and discriminants, with ours in their place.
test-shims: $(STAMP)-test
	$(BIN)/python tests/sklearn_shims.py

# On a machine with CUDA, where PyTorch or CuPy are installed.
test-gpu: $(STAMP)-test
	KERNELWEAVE_DEVICE=cuda $(BIN)/python -m pytest tests/arrays

lint: $(STAMP)-lint $(STAMP)-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m pytest tests/test_typing.py

docs: $(STAMP)-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The pictures of the front and start pages, which are kept in the repository.
pictures: $(STAMP)-test
	$(BIN)/python docs/pictures.py

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
	rm -rf .venv .venv-lowest .venv-newest .venv-wheel .venv-pages build dist docs/_build docs/api docs/auto_examples
