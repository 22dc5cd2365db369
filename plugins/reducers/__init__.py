"""Built-in reducers."""
