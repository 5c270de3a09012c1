"""The embedded default: a chat model of stated rules, without a network. See docs/offline.md."""

from strandline.providers.offline.model import OfflineRules

__all__ = ["OfflineRules"]
