"""Models of OpenAI, and of any server with its Chat Completions and Embeddings APIs.

`chat` and `embeddings` are imported separately, because a chat needs no numpy.
"""
