# Every command a developer or CI runs. uv comes from .tools, so that python3 and make are enough.
UV_VERSION := 0.13.9
SAM_VERSION := 1.170.0
UV := .tools/bin/uv
PY := .venv/bin/python
SAM := SAM_CLI_TELEMETRY=0 $(UV) tool run --quiet --from aws-sam-cli==$(SAM_VERSION) sam
LOCK := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url pyproject.toml

.PHONY: dev test check lint lock bench bench-recall clean

dev: .venv/.synced ## Serve the whole product on 127.0.0.1:3000 (PORT and STRANDLINE_DATA are honoured)
	$(PY) -m infra.local

test: .venv/.synced ## Run the suite; no network, no keys
	$(PY) -m pytest $(ARGS)

check: .venv/.synced ## Lint, types, lock drift, template
	.venv/bin/ruff check . && .venv/bin/ruff format --check .
	.venv/bin/mypy
	$(PY) -m infra.checks.lock $(UV)
	AWS_DEFAULT_REGION=us-east-1 $(SAM) validate --lint

lock: $(UV) ## Renew both locks from pyproject.toml
	$(LOCK) -o shared/requirements.txt $(ARGS)
	$(LOCK) --group dev -o requirements-dev.txt $(ARGS)

bench: .venv/.synced ## Ranking, AWS calls, imports, cost
	$(PY) -m infra.bench

bench-recall: .venv/.synced ## Evidence recall on LoCoMo: make bench-recall LOCOMO=path/to/locomo10.json
	$(PY) -m infra.bench.locomo "$(LOCOMO)"

clean: ## Remove everything the Makefile made
	rm -rf .venv .tools .aws-sam bench-results

$(UV):
	python3 -m venv .tools && .tools/bin/pip install --quiet uv==$(UV_VERSION)

.venv/.synced: requirements-dev.txt pyproject.toml | $(UV)
	$(UV) venv --quiet --allow-existing .venv
	$(UV) pip sync --quiet --python $(PY) --require-hashes requirements-dev.txt
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
	touch $@
