"""The conformance kit: test classes that plugin authors subclass."""
