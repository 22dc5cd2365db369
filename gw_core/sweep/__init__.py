"""Reading everything: plan in code, extract records, reduce in code, and say what was read and what was not."""
