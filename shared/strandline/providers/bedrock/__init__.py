"""Models on Amazon Bedrock, through boto3: Converse for chat, Titan and Cohere for embeddings.

`chat` and `embeddings` are imported separately, because a chat needs no numpy.
"""
