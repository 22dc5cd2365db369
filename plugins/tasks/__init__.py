"""Built-in bench tasks."""
