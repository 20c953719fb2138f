"""Running untrusted code in processes of its own. Nothing here knows a hidden suite."""
