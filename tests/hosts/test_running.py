"""`make test-hosts` fails wherever a host was not really tested, and says which were."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "test_hosts.py"


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("test_hosts_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "test_hosts_script", module)
    spec.loader.exec_module(module)
    monkeypatch.delenv("FORGETGUARD_SKIP_HOSTS", raising=False)
    monkeypatch.setattr(module, "_environment", lambda name: Path(sys.executable))
    monkeypatch.setattr(module, "_version", lambda python, package: f"{package} 1")
    return module


def test_every_host_is_run_and_named(script, monkeypatch, capsys):
    monkeypatch.setattr(script, "_tested", lambda name, python: 3)
    assert script.main([]) == 0
    lines = capsys.readouterr().out.split("hosts:\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == list(script.HOSTS)
    assert all(line.endswith("1: 3 passed") for line in lines)


def test_one_that_fails_is_a_failure_unless_it_is_skipped_by_name(script, monkeypatch, capsys):
    def tested(name, python):
        if name == "mem0":
            raise script.Failed("pip could not install it")
        return 1

    monkeypatch.setattr(script, "_tested", tested)
    assert script.main([]) == 1
    assert "mem0         FAILED: pip could not install it" in capsys.readouterr().out
    assert script.main(["langgraph"]) == 0
    monkeypatch.setenv("FORGETGUARD_SKIP_HOSTS", "mem0, hermes")
    assert script.main([]) == 0
    assert capsys.readouterr().out.count("skipped, as FORGETGUARD_SKIP_HOSTS says") == 2
    assert script.main(["no-such-host"]) == 2


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def test_it(): assert False", "pytest ended with 1"),
        ("", "pytest ended with 5"),
        ("import pytest\ndef test_it(): pytest.skip()", "none of its tests ran"),
    ],
)
def test_a_run_in_which_nothing_passed_is_a_failure(script, monkeypatch, tmp_path, code, reason):
    folder = tmp_path / "tests" / "hosts" / "mem0"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text(code)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # only to be quick
    with pytest.raises(script.Failed, match=reason):
        script._tested("mem0", Path(sys.executable))


def test_a_python_that_is_not_here_is_a_failure(script):
    assert script._interpreter(None) == sys.executable
    with pytest.raises(script.Failed, match=r"needs Python 3\.99"):
        script._interpreter((3, 99))


def test_every_host_has_an_extra_and_tests(script):
    import tomllib

    root = SCRIPT.parents[1]
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for name in script.HOSTS:
        assert name in extras
        assert list((root / "tests" / "hosts" / name).glob("test_*.py")), name
