"""Built-in loaders."""
