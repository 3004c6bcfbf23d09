"""What the pages say is there is there: links, rules, commands, modules."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import typer

from truelap.cli.commands import app
from truelap.policy import RewardRules, load_policy, shipped_bytes
from truelap.rules import load_rules
from truelap.task import load_task

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def table_names(page: str) -> set[str]:
    return set(re.findall(r"^\| `([^`]+)` \|", (ROOT / page).read_text("utf-8"), re.MULTILINE))


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}


def dead_links(page: Path, text: str) -> list[str]:
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    assert dead_links(page, text) == []
    assert text.startswith("# "), "a page starts with its title"


def test_a_dead_link_would_be_found():
    page = ROOT / "README.md"
    assert dead_links(page, "[a](docs/none.md) [b](SECURITY.md#nowhere) [c](SECURITY.md#promises)") == [
        "docs/none.md",
        "SECURITY.md#nowhere",
    ]


def test_the_table_of_rules_is_the_folder_of_rules():
    assert table_names("docs/reference/rules.md") == {name for name, _ in load_rules(load_policy())}


def test_every_page_of_docs_is_reached_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        for link in re.findall(r"\]\(([^)\s#]+)", page.read_text("utf-8")):
            target = (page.parent / link).resolve()
            found = sorted(target.glob("*.md")) if target.is_dir() else [target]
            fresh = [path for path in found if path.suffix == ".md" and path not in reached]
            reached.update(fresh)
            todo.extend(path for path in fresh if path.is_file())
    assert set(ROOT.glob("docs/**/*.md")) - reached == set()


def keys(table: dict, prefix: str = "") -> set[str]:
    found = set()
    for key, value in table.items():
        found |= keys(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key}
    return found


def test_the_page_of_the_policy_names_every_key():
    assert table_names("docs/reference/policy.md") - schemes() == keys(
        tomllib.loads(shipped_bytes().decode())
    )


def schemes() -> set[str]:
    return set(get_args(RewardRules.model_fields["scheme"].annotation))


def test_every_reward_scheme_is_explained():
    assert schemes() <= table_names("docs/reference/policy.md")


def commands() -> dict[str, set[str]]:
    """Every command and its options, as the console has them."""
    found = {}
    group = typer.main.get_command(app)
    for name, command in group.commands.items():
        for path, leaf in [
            (f"{name} {sub}", leaf) for sub, leaf in getattr(command, "commands", {}).items()
        ] or [(name, command)]:
            found[path] = {
                flag for parameter in leaf.params for flag in parameter.opts if flag.startswith("--")
            }
    return found


def test_the_page_of_commands_names_every_command_and_every_option():
    page = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    assert table_names("docs/reference/commands.md") - {"--"} >= set(commands())
    named = set(re.findall(r"--[a-z][a-z-]+", page))
    options = set().union(*commands().values(), ["--version"]) - {"--help"}
    assert options - named == set()
    assert named - options - {"--help"} == set()


@pytest.mark.parametrize("command", ["report", "redteam", "doctor", "policy show"])
def test_a_command_with_options_of_its_own_has_a_section_with_them(command):
    page = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    section = page.split(f"\n## {command}\n", 1)[1].split("\n## ", 1)[0]
    named = set(re.findall(r"^\| `(--[a-z-]+)", section, re.MULTILINE))
    assert named == commands()[command] - {"--help", "--debug", "--policy"}


ELSEWHERE = {"task": {"base_file"}, "environment": {"carry"}}
"""Keys that the guide's example cannot hold beside others: its words name them."""


def test_the_task_file_of_the_guide_is_one_and_has_every_key(tmp_path):
    page = (ROOT / "docs/how-to/write-a-task-file.md").read_text("utf-8")
    block = "\n".join(line[4:] for line in page.split("## ")[0].splitlines() if line.startswith("    "))
    (tmp_path / "task.toml").write_text(block)
    task = load_task(tmp_path / "task.toml")
    written = tomllib.loads(block)
    for section in set(type(task).model_fields) - {"reference"}:
        known = set(type(getattr(task, section)).model_fields)
        assert set(written[section]) >= known - ELSEWHERE.get(section, set())
    for named in (*(key for keys in ELSEWHERE.values() for key in keys), "[reference]", "patch", "impacted"):
        assert named in page
