"""Installs a wheel into an empty environment and does there what the README shows: python installed.py WHEEL"""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import venv
import zipfile

README = pathlib.Path(__file__).parents[1] / "README.md"
NOTEBOOK = pathlib.Path(__file__).parents[3] / "examples" / "advise.ipynb"
# PyPI refuses more than 100 MB; this is what a user waits for.
MOST_BYTES = 15_000_000
NEWEST_GLIBC = (2, 28)
# What a user waits for an answer, with the wheel there.
MOST_SECONDS = 60


def blocks(language):
    """The blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


def code():
    """The Python of the README as one program."""
    return "".join(blocks("python"))


def run_notebook():
    """Runs the cells one by one, and shows what stands last in each as a notebook does."""
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    names, shown = {}, []
    for cell in cells:
        assert not cell.get("outputs"), "outputs are not kept: they would go stale"
        if cell["cell_type"] == "code":
            body = ast.parse("".join(cell["source"]))
            last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
            exec(compile(body, NOTEBOOK.name, "exec"), names)
            if last is not None:
                found = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
                html = getattr(found, "_repr_html_", lambda: None)()
                shown.append(html or repr(found))
    assert len(shown) >= 6 and any("<svg" in each for each in shown) and any("<table" in each for each in shown)
    assert shown[1].lower().startswith("remap"), shown[1]


def inspect(wheel):
    """What a wheel must be before it is installed."""
    assert wheel.stat().st_size < MOST_BYTES, f"{wheel.stat().st_size} bytes"
    assert "-cp39-abi3-" in wheel.name, wheel.name
    tagged = re.search(r"manylinux_(\d+)_(\d+)", wheel.name)
    assert tagged and tuple(map(int, tagged.groups())) <= NEWEST_GLIBC, wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("LICENSE-MIT", "LICENSE-APACHE", "py.typed", "_remapping.pyi", "entry_points.txt"):
        assert any(name.endswith(wanted) for name in names), f"no {wanted} in {names}"
    library = zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith(".so")))
    wanted = {tuple(map(int, found.split(b"."))) for found in re.findall(rb"GLIBC_(\d+\.\d+)", library)}
    assert wanted and max(wanted) <= NEWEST_GLIBC, f"needs glibc {max(wanted)}"


def run(arguments, **more):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def log(path):
    path.write_text("step,rank,seconds\n" + "".join(
        f"{step},{rank},{1 + 0.01 * rank * (step % 20)}\n" for step in range(200) for rank in range(4)))


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
        started = time.monotonic()
        run([programs / "python", "-m", "pip", "install", "-q", wheel.resolve()], env=environment)
        log(place / "log.csv")
        run([programs / "remap", "advise", "log.csv", "--remap-cost", "0.5"], env=environment, cwd=place)
        run([programs / "python", __file__, "--notebook"], env=environment, cwd=place)
        taken = time.monotonic() - started
        print(f"pip install, advise and the notebook: {taken:.0f} s")
        assert taken < MOST_SECONDS
        work = place / "work"
        work.mkdir()
        program = code()
        (work / "job.ron").write_text(re.search(r'job = """(.*?)"""', program, re.DOTALL)[1])
        said = run([programs / "python", "-c", program], env=environment, cwd=work)
        assert "Remap" in said or "remap" in said, said
        commands = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
        assert len(commands) >= 4, commands
        for command in ["remap --version", *commands]:
            said = run(["sh", "-c", command], env=environment, cwd=work)
            assert said or ">" in command, command
            print(f"$ {command}\n{said[:200]}")
        assert "LICENSE-MIT" in run([programs / "python", "-m", "pip", "show", "-f", "remapping"], env=environment)


if __name__ == "__main__":
    run_notebook() if sys.argv[1] == "--notebook" else main(pathlib.Path(sys.argv[1]))
