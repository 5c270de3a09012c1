"""Models of OpenAI and of every server that speaks its Chat Completions and Embeddings.

`chat` and `embeddings` are imported by themselves: a chat needs no numpy.
"""
