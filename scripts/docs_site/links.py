"""Links of pages: they are written for GitHub, and rewritten for the documentation site."""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath, relpath

DOCS = "docs/"
ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files of the repository's root that are pages of the site."""
LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)")
"""A relative link: its text, its path and its anchor."""


def rewrite_links(markdown: str, page: str, repository: str) -> str:
    """Return Markdown in which links to files that are not in the site lead to the repository.

    Args:
        markdown: The source of a page, whose links are relative to the page's file in the repository.
        page: The path of the page in the site.
        repository: The URL of the repository. If it is empty, such links become plain text.
    """
    source = page if page in ROOT_PAGES else DOCS + page

    def rewrite(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        path = normpath(join(dirname(source), target))
        if path in ROOT_PAGES or path.startswith(DOCS):
            return f"[{text}]({relpath(path.removeprefix(DOCS), dirname(page) or '.')}{anchor})"
        return f"[{text}]({repository.rstrip('/')}/blob/main/{path}{anchor})" if repository else text

    return LINK.sub(rewrite, markdown)
