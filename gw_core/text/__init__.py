"""Text itself: decoding, sentences, lines, and the one tokenizer."""
