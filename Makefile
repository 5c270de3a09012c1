# Every command a developer or CI runs. uv comes from .tools, so that python3 and make are enough.
UV_VERSION := 0.13.9
SAM_VERSION := 1.170.0
UV := .tools/bin/uv
PY := .venv/bin/python
SAM_TOOL := $(UV) tool run --quiet --from aws-sam-cli==$(SAM_VERSION) sam
SAM := SAM_CLI_TELEMETRY=0 $(SAM_TOOL)
LOCK := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url pyproject.toml
# make build EXTRAS=anthropic: the layer carries that provider's SDK too.
LAYER := REQUIREMENTS=requirements$(addprefix -,$(EXTRAS)).txt

.PHONY: dev test laws check lint lock openapi bench bench-recall build build-host stack-test e2e clean

dev: .venv/.synced ## Serve the whole product on 127.0.0.1:3000 (PORT and STRANDLINE_DATA are honoured)
	$(PY) -m infra.local

test: .venv/.synced ## Run the suite on all cores; no network, no keys
	OPENBLAS_NUM_THREADS=1 $(PY) -m pytest --numprocesses auto --dist loadgroup $(ARGS)

laws: .venv/.synced ## Run the property tests at full depth, with examples that differ from run to run
	STRANDLINE_LAWS=full OPENBLAS_NUM_THREADS=1 $(PY) -m pytest --numprocesses auto --dist loadgroup -m law $(ARGS)

check: .venv/.synced ## Lint, types, lock drift, template
	.venv/bin/ruff check . && .venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo
	$(PY) -m infra.checks.lock $(UV)
	AWS_DEFAULT_REGION=us-east-1 $(SAM) validate --lint

lock: $(UV) ## Renew the locks from pyproject.toml
	$(LOCK) -o shared/requirements.txt $(ARGS)
	$(LOCK) --extra anthropic -o shared/requirements-anthropic.txt $(ARGS)
	$(LOCK) --group dev -o requirements-dev.txt $(ARGS)

openapi: .venv/.synced ## Write docs/openapi.json from the routes
	$(PY) -m infra.openapi

# One thread for numpy, as a function has: several make the floor slow on a busy machine.
bench: .venv/.synced ## Ranking, AWS calls, imports, cost
	OPENBLAS_NUM_THREADS=1 $(PY) -m infra.bench

bench-recall: .venv/.synced ## Evidence recall on LoCoMo: make bench-recall LOCOMO=path/to/locomo10.json
	$(PY) -m infra.bench.locomo "$(LOCOMO)"

build: .venv/.synced build-host ## Build for Lambda, on any machine, and look at what was built
	UV="$(CURDIR)/$(UV)" $(LAYER) $(SAM) build
	$(PY) -m infra.checks.build_artifact .aws-sam/build .aws-sam/host

build-host: .venv/.synced ## The same for this machine's own Python: the emulator's functions run on it
	UV="$(CURDIR)/$(UV)" $(LAYER) PYTHON_PLATFORM= PYTHON_VERSION=$$($(PY) -c 'import platform; print(platform.python_version())') \
		$(SAM) build --build-dir .aws-sam/host

stack-test: build-host ## Deploy the stack into an emulator and drive it over HTTP
	STRANDLINE_E2E=emulator SAM="$(CURDIR)/$(SAM_TOOL)" UV="$(CURDIR)/$(UV)" $(PY) -m pytest tests/e2e -s --tb=short $(ARGS)

e2e: .venv/.synced ## The same tests against a deployed stack: make e2e STRANDLINE_URL=… STRANDLINE_TOKEN=…
	STRANDLINE_E2E=deployed $(PY) -m pytest tests/e2e -s --tb=short --force-enable-socket $(ARGS)

clean: ## Remove everything the Makefile made
	rm -rf .venv .tools .aws-sam bench-results

$(UV):
	python3 -m venv .tools && .tools/bin/pip install --quiet uv==$(UV_VERSION)

.venv/.synced: requirements-dev.txt pyproject.toml | $(UV)
	$(UV) venv --quiet --allow-existing .venv
	$(UV) pip sync --quiet --python $(PY) --require-hashes requirements-dev.txt
	$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation --editable .
	touch $@
