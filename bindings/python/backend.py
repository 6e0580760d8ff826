# SPDX-License-Identifier: MIT
# Copyright (C) 2026 the omega-sandbox authors
"""Makes the wheel and the sdist (PEP 517, PEP 660), with Python alone.

The package is a directory of Python files. A build that needs no other package
works where there is no index to take one from.

    backend.py DIR

puts the package below a directory of modules, for packages of a system.
"""

import base64
import hashlib
import io
import os
import re
import sys
import tarfile
import time
import zipfile
from typing import Dict, List, Mapping, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "omega_sandbox"
Settings = Optional[Mapping[str, object]]


def _read(name: str) -> bytes:
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


def _project() -> Dict[str, str]:
    """The texts of the table project."""
    table = _read("pyproject.toml").decode().partition("\n[project]\n")[2]
    table = table.partition("\n[")[0]
    return dict(re.findall(r'^([a-z-]+) = "(.*)"$', table, re.MULTILINE))


def _stem() -> str:
    return f"{PACKAGE}-{_project()['version']}"


def _metadata() -> bytes:
    project = _project()
    table = _read("pyproject.toml").decode().partition("classifiers = [")[2]
    classifiers = re.findall(r'"(.+)"', table.partition("\n]")[0])
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        "Author: the omega-sandbox authors",
        "License: MIT",
        *(f"Classifier: {classifier}" for classifier in classifiers),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        _read("README.md").decode(),
    ]
    return "\n".join(lines).encode()


def _below(place: str) -> List[str]:
    found = []
    for folder, folders, files in os.walk(os.path.join(HERE, place)):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        found += [
            os.path.relpath(os.path.join(folder, name), HERE)
            for name in sorted(files)
            if name.endswith((".py", ".typed"))
        ]
    return found


def _date() -> int:
    """The same bytes of the same sources: zip begins in 1980."""
    return max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)


def _modules() -> Dict[str, bytes]:
    return {
        os.path.relpath(name, "src"): _read(name)
        for name in _below(os.path.join("src", PACKAGE))
    }


def _wheel(directory: str, contents: Dict[str, bytes]) -> str:
    info = f"{_stem()}.dist-info"
    contents[f"{info}/METADATA"] = _metadata()
    contents[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: omega-sandbox\n"
        b"Root-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = ""
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += f"{name},sha256={digest.decode().rstrip('=')},{len(data)}\n"
    contents[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{_stem()}-py3-none-any.whl"
    with zipfile.ZipFile(
        os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED
    ) as file:
        for name, data in contents.items():
            item = zipfile.ZipInfo(name, time.gmtime(_date())[:6])
            item.external_attr = 0o100644 << 16
            item.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(item, data)
    return wheel


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: Optional[str] = None,
) -> str:
    return _wheel(wheel_directory, _modules())


def build_editable(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: Optional[str] = None,
) -> str:
    place = os.path.join(HERE, "src")
    return _wheel(wheel_directory, {f"{PACKAGE}.pth": place.encode() + b"\n"})


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    names = ["README.md", "backend.py", "pyproject.toml"]
    for place in ("examples", "src", "tests"):
        names += _below(place)
    contents = {name: _read(name) for name in names}
    contents["PKG-INFO"] = _metadata()
    sdist = f"{_stem()}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, sdist), "w:gz") as file:
        for name, data in sorted(contents.items()):
            item = tarfile.TarInfo(f"{_stem()}/{name}")
            item.size = len(data)
            item.mtime = _date()
            file.addfile(item, io.BytesIO(data))
    return sdist


def install(directory: str) -> None:
    """Without a record: who has put it there takes it away."""
    contents = _modules()
    contents[f"{_stem()}.dist-info/METADATA"] = _metadata()
    for name, data in contents.items():
        place = os.path.join(directory, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(data)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: backend.py DIR")
    install(sys.argv[1])
