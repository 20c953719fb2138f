"""Signatures of results: who holds the public key can tell a forged or edited results.json."""
