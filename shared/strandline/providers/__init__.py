"""Model providers behind two small protocols; each adapter is imported when it is first used."""
