"""No file that nothing uses: sources stand in a meson.build, headers are included by somebody."""
import os
import re

from sources import c_files, files, read

INCLUDE = re.compile(r'#\s*include\s+"([^"]+)"')


def listed(name, builds):
    """Named in the meson.build of its folder or of one above, as file or as test."""
    base = os.path.basename(name)
    words = {base}
    match = re.fullmatch(r"(?:test|fuzz|bench)_(\w+)\.c", base)
    if match:
        words.add(match[1])
    folder = os.path.dirname(name)
    while True:
        text = builds.get(os.path.join(folder, "meson.build") if folder else "meson.build", "")
        relative = os.path.relpath(name, folder or ".")
        if any(f"'{word}'" in text for word in words | {relative}):
            return True
        if not folder:
            return False
        folder = os.path.dirname(folder)


def check():
    builds = {name: read(name) for name in files("meson.build")}
    sources = c_files()
    included = set()
    for name in sources:
        for spelled in INCLUDE.findall(read(name)):
            included.update({spelled, f"src/{spelled}", f"tests/lib/{spelled}",
                             os.path.join(os.path.dirname(name), spelled)})
    included.update(word for text in builds.values() for word in re.findall(r"'([^']+\.h)'", text))
    for name in sources:
        if name.endswith(".h") and name not in included:
            yield f"{name}: nobody includes it"
        if name.endswith(".c") and not listed(name, builds):
            yield f"{name}: in no meson.build"
