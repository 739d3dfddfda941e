# SPDX-License-Identifier: GPL-2.0-only
"""A stand-in for the part of Spack that recipes in packaging/spack use, since Spack is no Python or Debian package.

Directives are recorded and their keywords checked; a spec has variants only.
"""

import importlib.util
import os
import re
import sys
import types
from types import SimpleNamespace

#: Directives with the keywords that Spack's have.
DIRECTIVES = {
    "version": {"branch", "tag", "commit", "sha256", "preferred", "deprecated"},
    "variant": {"default", "description", "values", "multi", "when"},
    "depends_on": {"type", "when"},
    "conflicts": {"when", "msg"},
    "license": {"when", "checked_by"},
    "resource": {"name", "url", "sha256", "placement", "destination", "when"},
}


class Spec:
    """A concrete spec: values of variants, and specs of dependencies."""

    def __init__(self, variants, **dependencies):
        self.variants = {name: SimpleNamespace(value=value) for name, value in variants.items()}
        self.dependencies = dependencies

    def __getitem__(self, name):
        return self.dependencies[name]

    def satisfies(self, text):
        """Whether all words like +name, ~name and name=value hold; Spack knows more kinds."""
        return all(self.holds(word) for word in re.findall(r"[+~][\w-]+|[\w-]+=\S+", text))

    def holds(self, word):
        """Whether one word holds."""
        name, _, value = word.lstrip("+~").partition("=")
        wanted = value or word[0] == "+"
        return name in self.variants and self.variants[name].value == wanted


class CMakePackage:
    """The methods of Spack's class that recipes call."""

    def __init__(self, spec, source_path="", prefix=""):
        self.spec = spec
        self.stage = SimpleNamespace(source_path=str(source_path))
        self.prefix = SimpleNamespace(lib=os.path.join(prefix, "lib"))

    @staticmethod
    def define(name, value):
        """An option for CMake: truth values, lists and words, as Spack writes them."""
        if isinstance(value, bool):
            return f"-D{name}:BOOL={'ON' if value else 'OFF'}"
        return f"-D{name}:STRING={value if isinstance(value, str) else ';'.join(value)}"

    def define_from_variant(self, name, variant):
        """An option for CMake with the value of a variant."""
        return self.define(name, self.spec.variants[variant].value)


class Recipe:
    """A recipe that was read: its class, its module, and the directives in the order of the file."""

    def __init__(self, path, monkeypatch):
        self.directives = []
        package = types.ModuleType("spack.package")
        package.join_path = os.path.join
        for name in DIRECTIVES:
            setattr(package, name, lambda *args, directive=name, **keywords: self.record(directive, args, keywords))
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.CMakePackage = CMakePackage
        for module in (package, cmake):
            monkeypatch.setitem(sys.modules, module.__name__, module)
            parent = module.__name__
            while "." in parent:
                parent = parent.rpartition(".")[0]
                monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
        found = importlib.util.spec_from_file_location(f"recipe_{path.parent.name}", path)
        self.module = importlib.util.module_from_spec(found)
        found.loader.exec_module(self.module)
        name = "".join(word.capitalize() for word in path.parent.name.split("_"))    # Spack looks for a class so named
        self.package = getattr(self.module, name)

    def record(self, directive, args, keywords):
        """Keep a directive; Spack refuses unknown keywords."""
        unknown = set(keywords) - DIRECTIVES[directive]
        assert not unknown, f"{directive} has no keyword {unknown}"
        self.directives.append((directive, args, keywords))

    def all(self, directive):
        """Arguments and keywords of all directives of a kind."""
        return [(args, keywords) for name, args, keywords in self.directives if name == directive]

    def defaults(self):
        """Variants with their default values."""
        return {args[0]: keywords["default"] for args, keywords in self.all("variant")}
