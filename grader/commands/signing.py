"""`grade keygen`, `grade sign` and `grade verify-results`: signatures that show whether a results.json was changed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.commands.console import fail, print_remarks, printable
from grader.commands.options import FILE_PATH, graded_argument
from grader.results.wording import count_text

if TYPE_CHECKING:
    from grader.gradebook.signing.signature import SigningKey

NOT_VERIFIED = 1

sign_option = click.option(
    "--sign",
    "key_path",
    type=FILE_PATH,
    envvar="GRADE_SIGNING_KEY",
    metavar="KEY",
    help="Sign each results.json with this private key (see `grade keygen`).  [or the environment's GRADE_SIGNING_KEY]",
)


def hidden_key(path: Path) -> SigningKey:
    """The private key at `path`, which must not be in a folder that workers read. Raises UserError."""
    from grader.gradebook.signing.signature import read_signing_key
    from grader.sandbox.isolation.landlock import worker_files

    key, place = read_signing_key(path), path.resolve()
    for folder in (folder.resolve() for folder in worker_files().visible):
        if folder in place.parents:
            fail(f"{path} lies in {folder}, which student code may read: move the key elsewhere.")
    return key


def sign_or_warn(out: Path, key: SigningKey | None, students: Collection[str]) -> None:
    """Sign the results of a run; without a key, say so where the gradebook's results were signed before."""
    from grader.gradebook.signing.signed_files import lost_signatures, sign_results

    sentences = [lost_signatures(out, students)] if key is None else sign_results(out, key, students)[1]
    print_remarks(filter(None, sentences))


@click.command(
    epilog="""\b
Examples:
  grade keygen ~/keys/course.pem       writes course.pem, which stays with you, and course.pub.pem for everybody
"""
)
@click.argument("path", metavar="KEY", type=FILE_PATH)
def keygen(path: Path) -> None:
    """Makes a pair of keys.

    The private key KEY signs results. The public key, written next to it, checks signatures.

    Keep KEY out of the course's folder and out of every repository: anyone who has it can sign any score.
    """
    from grader.gradebook.signing.signature import make_key_pair

    place, public = make_key_pair(path)
    click.echo(f"wrote {path}, which signs results: keep it secret. Only you can read it.")
    click.echo(f"wrote {place}, which checks signatures: give it to anybody. Fingerprint: {public.fingerprint}")


@click.command(
    epilog="""\b
Examples:
  grade sign grades/ --key ~/keys/course.pem        after `grade adjust` and other commands that change results

\b
Exit status: 0 signed, 1 a file is not what the gradebook says and was not signed, 2 the input is unusable.
"""
)
@graded_argument
@click.option(
    "--key",
    "key_path",
    type=FILE_PATH,
    required=True,
    envvar="GRADE_SIGNING_KEY",
    help="The private key's file.  [or the environment's GRADE_SIGNING_KEY]",
)
def sign(graded: Path, key_path: Path) -> None:
    """Signs the results.json files in OUT.

    A file that does not agree with the gradebook is not signed.
    """
    from grader.gradebook.signing.signature import read_signing_key
    from grader.gradebook.signing.signed_files import sign_results

    key = read_signing_key(key_path)
    signed, remarks = sign_results(graded, key)
    print_remarks(remarks)
    click.echo(f"signed: results of {count_text(signed, 'student')} in {graded}, with the key {key.fingerprint}.")
    if remarks:
        raise SystemExit(NOT_VERIFIED)


@click.command(
    "verify-results",
    epilog="""\b
Examples:
  grade verify-results grades/ --key course.pub.pem
  grade verify-results downloads/results.json --key course.pub.pem

\b
Exit status: 0 every file is signed with this key and unchanged, 1 one is not, 2 the input is unusable.
In OUT, a file that is older than the gradebook counts as changed.
""",
)
@click.argument("paths", metavar="FILE|OUT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--key",
    "key_path",
    type=FILE_PATH,
    required=True,
    help="The public key's file, such as course.pub.pem.",
)
def verify_results(paths: tuple[Path, ...], key_path: Path) -> None:
    """Checks the signatures of results.json files.

    It prints a sentence about each file.
    """
    from grader.gradebook.signing.signature import read_public_key
    from grader.gradebook.signing.signed_files import files_to_verify, verify_file

    key = read_public_key(key_path)
    failed = 0
    for file in files_to_verify(paths):
        is_verified, sentence = verify_file(file, key)
        failed += not is_verified
        click.echo(("" if is_verified else "NOT VERIFIED: ") + printable(sentence), err=not is_verified)
    if failed:
        raise SystemExit(NOT_VERIFIED)
