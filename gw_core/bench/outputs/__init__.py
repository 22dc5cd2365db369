"""A report in the forms that people and machines read: Markdown, JUnit, HTML."""
