"""The parts of the documentation site that are not files of docs/: links and reference pages."""
