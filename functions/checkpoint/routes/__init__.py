"""One router per resource: parse, one call, return a model."""

from functions.checkpoint.routes import checkpoints, drafts, imports, lineage, mounts

MOUNT = (checkpoints.router, mounts.router, lineage.router, imports.router)
DRAFT = (drafts.router,)
