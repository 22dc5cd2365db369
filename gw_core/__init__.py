"""The public names of gw."""
