"""One router per resource: parse, one call, return a model."""

from functions.checkpoint.routes import checkpoints, comparing, drafts, importing, mounts

MOUNT = (checkpoints.router, mounts.router, comparing.router, importing.router)
DRAFT = (drafts.router,)
