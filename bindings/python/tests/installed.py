"""Installs a wheel into an empty environment and does there what the README shows: python installed.py WHEEL"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv
import zipfile

README = pathlib.Path(__file__).parents[1] / "README.md"
# PyPI refuses more than 100 MB; this is what a user waits for.
MOST_BYTES = 15_000_000
NEWEST_GLIBC = (2, 28)


def blocks(language):
    """The blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


def code():
    """The Python of the README as one program."""
    return "".join(blocks("python"))


def inspect(wheel):
    """What a wheel must be before it is installed."""
    assert wheel.stat().st_size < MOST_BYTES, f"{wheel.stat().st_size} bytes"
    assert "-cp39-abi3-" in wheel.name, wheel.name
    tagged = re.search(r"manylinux_(\d+)_(\d+)", wheel.name)
    assert tagged and tuple(map(int, tagged.groups())) <= NEWEST_GLIBC, wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("LICENSE-MIT", "LICENSE-APACHE", "py.typed", "__init__.pyi", "entry_points.txt"):
        assert any(name.endswith(wanted) for name in names), f"no {wanted} in {names}"
    library = zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith(".so")))
    wanted = {tuple(map(int, found.split(b"."))) for found in re.findall(rb"GLIBC_(\d+\.\d+)", library)}
    assert wanted and max(wanted) <= NEWEST_GLIBC, f"needs glibc {max(wanted)}"


def run(arguments, **more):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def main(wheel):
    inspect(wheel)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        venv.create(place / "venv", with_pip=True)
        programs = place / "venv" / "bin"
        # Neither Rust nor what else is installed.
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": folder}
        for name in ("PIP_INDEX_URL", "PIP_CERT", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy"):
            if name in os.environ:
                environment[name] = os.environ[name]
        run([programs / "python", "-m", "pip", "install", "-q", wheel.resolve()], env=environment)
        work = place / "work"
        work.mkdir()
        program = code()
        (work / "job.ron").write_text(re.search(r'job = """(.*?)"""', program, re.DOTALL)[1])
        said = run([programs / "python", "-c", program], env=environment, cwd=work)
        assert "Remap" in said or "remap" in said, said
        (work / "log.csv").write_text("step,rank,seconds\n" + "".join(
            f"{step},{rank},{1 + 0.01 * rank * (step % 20)}\n" for step in range(200) for rank in range(4)))
        commands = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
        assert len(commands) >= 4, commands
        for command in ["remap --version", "remap advise log.csv --remap-cost 0.5", *commands]:
            said = run(["sh", "-c", command], env=environment, cwd=work)
            assert said or ">" in command, command
            print(f"$ {command}\n{said[:200]}")
        assert "LICENSE-MIT" in run([programs / "python", "-m", "pip", "show", "-f", "remapping"], env=environment)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
