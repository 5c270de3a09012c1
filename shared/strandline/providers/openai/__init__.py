"""Models of OpenAI and of every server that speaks its Chat Completions and Embeddings."""

from strandline.providers.openai.chat import OpenAIChat
from strandline.providers.openai.embeddings import OpenAIEmbedder

__all__ = ["OpenAIChat", "OpenAIEmbedder"]
