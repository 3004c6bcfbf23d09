"""collect, admit, restore: the stations that run nothing, one at a time."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - typer reads the annotations
from typing import TYPE_CHECKING, Annotated

from truelap.cli.bench import open_bench
from truelap.cli.options import Submitted, command, option
from truelap.cli.words import complain, say_bytes, say_json, say_wrapped
from truelap.errors import UsageError, WorldError
from truelap.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import typer

    from truelap.model import Case, Finding


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "collect", Collect)(collect)
    command(app, "admit", Admit)(admit)
    command(app, "restore", Restore)(restore)


@dataclass(frozen=True, kw_only=True)
class Collect(Submitted):
    """Options of collect. Without a named submission it takes REPO's working tree."""

    out: Annotated[Path | None, option("File for the diff; default: stdout.", metavar="FILE")] = None
    text: Annotated[
        bool, option("Every line readable, binary files too; such a diff cannot be applied.", "--text")
    ] = False
    end_processes: Annotated[
        bool,
        option(
            "Afterwards kill every process of other sessions that is visible here. For the end of an agent's container.",
            "--end-processes",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class Admit(Submitted):
    """Options of admit."""

    python: Annotated[
        Path | None,
        option(
            "Interpreter of the project's environment; without it, what is installed there is not looked at.",
            metavar="PATH",
        ),
    ] = None
    json: Annotated[bool, option("Print the rulings as JSON.", "--json")] = False


@dataclass(frozen=True, kw_only=True)
class Restore(Submitted):
    """Options of restore."""

    into: Annotated[Path, option("New folder for the candidate tree.", metavar="DIR")]
    out: Annotated[
        Path | None, option("Folder for protected_restore.json and test_edits.json.", metavar="DIR")
    ] = None


def collect(options: Collect) -> int:
    """Write the submission's whole difference from base as a diff."""
    from truelap.prepare.collect import collect_patch
    from truelap.world.output import write_file

    _check_place(options.out)
    submission = options.submission()
    if not any(submission.values()):
        submission["worktree"] = options.repo
    with open_bench(options, submission) as bench:
        patch, findings = collect_patch(bench.store, bench.case.base, bench.submission, bench.policy)
        if patch.error:
            raise UsageError(patch.error)
        diff = b""
        if patch.tree:
            diff = bench.store.diff(bench.case.base.tree, patch.tree, text=options.text)
    _tell(findings)
    if options.out is None:
        say_bytes(diff)
    else:
        write_file(options.out, diff)
    if options.end_processes:
        from truelap.world.others import end_others

        end_others()
    return 0


def admit(options: Admit) -> int:
    """Ask every refusal rule. Exit 0 admitted, 1 refused, or nothing left of it, with the reasons."""
    from truelap.world.interpreter import inspect

    with open_bench(options, options.submission()) as bench:
        interpreter = inspect(options.python, options.repo) if options.python else None
        case = bench._replace(interpreter=interpreter).assembled()
    rejected = _rejected(case)
    if options.json:
        findings = [finding.model_dump(mode="json") for finding in case.findings]
        say_json({"admitted": rejected is None, "rejected": rejected, "findings": findings})
    else:
        for finding in case.findings:
            say_wrapped(_told(finding))
        say_wrapped(rejected or _admitted(case))
    if rejected is None and any(finding.level == "inconclusive" for finding in case.findings):
        return 3
    return 0 if rejected is None else 1


def _admitted(case: Case) -> str:
    if case.patch is None:
        return "admitted"
    files = counted(case.patch.files, "file")
    aside = f"; put back to base: {len(case.discarded)}" if case.discarded else ""
    return f"admitted: {files}, +{case.patch.added_lines} -{case.patch.removed_lines}{aside}"


def _rejected(case: Case) -> str | None:
    """Why nothing of a submission is judged; None where something is left."""
    from truelap.prepare.admit import Admission

    admission = case.get("admit")
    if isinstance(admission, Admission) and admission.rejected is not None:
        return admission.rejected
    return "no_patch" if case.candidate_tree == case.base.tree else None


def restore(options: Restore) -> int:
    """Write the candidate as it is judged. That is base, the admitted edits, and base's own tests and measurement setup.

    With a --base-file that is not there, nothing is done and nothing is written.
    """
    from truelap.world.files import write_tree

    if options.base_file is not None and not options.base_file.exists():
        complain(f"base file {options.base_file}: there is none, so there is nothing to restore")
        return 0
    into = _new_folder(options.into)
    with open_bench(options, options.submission()) as bench:
        case = bench.restored()
        if case.candidate_tree is not None:
            with _whole_or_nothing(into):
                write_tree(bench.store, case.candidate_tree, into)
        if options.out:
            _write_records(case, options.out)
    _tell(case.findings)
    return 3 if case.candidate_tree is None else int(case.refused)


@contextmanager
def _whole_or_nothing(into: Path) -> Iterator[None]:
    """What cannot be written whole is removed again, with the folder unless it was there."""
    from truelap.world.removal import remove_folder

    there = into.exists()
    try:
        yield
    except (OSError, WorldError) as error:
        with suppress(OSError):
            remove_folder(into)
            if there:
                into.mkdir()
        cause = error.strerror if isinstance(error, OSError) else error
        raise WorldError(
            f"--into {into}: {cause}; nothing was left there, make room or name another folder"
        ) from error


def _write_records(case: Case, folder: Path) -> None:
    from truelap.report import artifact, json_bytes
    from truelap.world.output import Output

    found = {name: artifact(case, name) for name in ("protected_restore.json", "test_edits.json")}
    with Output(folder) as out:
        out.write({name: json_bytes(value) for name, value in found.items() if value is not None})


def _check_place(out: Path | None) -> None:
    # A link is replaced, whatever it points to: its planter must not keep the diff from being written.
    if out is not None and ((out.is_dir() and not out.is_symlink()) or not out.parent.is_dir()):
        raise UsageError(f"--out {out}: no place for a file; name one in a folder that is there")


def _new_folder(folder: Path) -> Path:
    if (
        folder.is_symlink()
        or (folder.exists() and not folder.is_dir())
        or (folder.is_dir() and any(folder.iterdir()))
    ):
        raise UsageError(f"--into {folder}: is there already; name a new folder")
    return folder


def _tell(findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        complain(_told(finding))


def _told(finding: Finding) -> str:
    place = f" {finding.path}" if finding.path else ""
    return f"{finding.code}{place}: {finding.message}"
