"""`dojo lsp`: what an editor shows of a check, by the language server protocol."""
