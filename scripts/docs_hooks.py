"""The hooks of MkDocs for the documentation site: pages that are not files of docs/, and links out of docs/."""

from __future__ import annotations

from pathlib import Path

import yaml
from docs_site.links import ROOT_PAGES, rewrite_links
from docs_site.reference import command_line, papers, python, without_roles
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]


def on_files(files: Files, /, *, config: MkDocsConfig) -> Files:
    """Return the files of the site with the reference pages and the pages from the repository's root."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    contents = {name: (ROOT / name).read_text(encoding="utf-8") for name in ROOT_PAGES}
    contents |= {"reference/cli.md": command_line(), "reference/python.md": python()}
    contents |= {"papers/index.md": papers(citation)}
    for name, content in contents.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the source of a page with the links of the site."""
    return rewrite_links(markdown, page.file.src_uri, config.repo_url or "")


def on_page_content(html: str, /, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return the HTML of a page without the roles of Sphinx."""
    return without_roles(html)
