#!/usr/bin/env python3
"""Prints what each target costs: processor seconds of a release build from nothing, lines, and bytes in the executable.

    Tests/Benchmarks/build.py

The build is in the folder .build-costs, which is removed first; the usual build folder is not touched.

Processor seconds: SwiftPM runs this script instead of swiftc (SWIFT_EXEC). The script runs the compiler and records the user
and system time of all its processes under the name of the module. Linking is a run of the compiler too. The rest of the sum
is SwiftPM itself, with the package manifest. If the machine is busy, processor seconds increase as well, but much less than
wall-clock time, which is all that -driver-time-compilation prints.

Bytes: the map of the linker names the object file from which each piece of the executable comes, and the path of an object
file contains its target. Specializations of generic code therefore count for the target that needs them; by their symbols
they would belong to the module that declares the generic code, often the standard library. If several targets contain the
same specialization, the linker keeps one and it counts there. Code can be executed; data is everything else that is loaded
from the file. Zeroed memory (.bss), symbols and debug information do not count. "other" is the standard library, the C
library, and what the linker creates, such as the unwind tables of all targets.
"""
import collections
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time

LOG, COMPILER = "MP4TOOL_BUILD_LOG", "MP4TOOL_BUILD_COMPILER"
NOT_LOADED = (".debug", ".comment", ".note", ".symtab", ".strtab", ".shstrtab", ".gnu_debuglink")


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compile_and_record(arguments):
    status = subprocess.call([os.environ[COMPILER], *arguments])
    if "-module-name" in arguments:
        module = arguments[arguments.index("-module-name") + 1]
        kind = "link" if "-emit-executable" in arguments else "compile"
        # One short write in append mode is atomic, so that parallel compilers do not mix their lines.
        with open(os.environ[LOG], "a", encoding="utf-8") as log:
            log.write(json.dumps([kind, module, processor_seconds()]) + "\n")
    return status if status >= 0 else 128 - status


def loaded_bytes(path):
    """The bytes of code and of data per target, from the map that ld, gold or lld writes."""
    code, data = collections.Counter(), collections.Counter()
    section = ""
    mapped = False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            mapped = mapped or line.startswith(("Memory map", "Linker script and memory map"))
            if not mapped:
                continue
            if not line.startswith(" "):
                section = line.split()[0] if line.strip() else section
                continue
            # Long section names have a line of their own, before the address, the size and the file.
            # What the linker creates itself has no file.
            found = re.search(r" 0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: (/\S.*))?$", line)
            if not found or section in (".bss", ".tbss") or section.startswith(NOT_LOADED):
                continue
            target = re.search(r"/([^/]+)\.build/[^/]+\.o$", found[3] or "")
            (code if section.startswith(".text") else data)[target[1] if target else "other"] += int(found[2], 16)
    return code, data


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    folder = os.path.abspath(".build-costs")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    log, link_map = os.path.join(folder, "log"), os.path.join(folder, "map")
    compiler = shutil.which("swiftc")
    if not compiler:
        sys.exit("Tests/Benchmarks/build.py: there is no swiftc")
    environment = dict(os.environ, SWIFT_EXEC=os.path.abspath(__file__), SWIFT_EXEC_MANIFEST=compiler)
    environment.update({LOG: log, COMPILER: compiler})
    command = ["swift", "build", "-c", "release", "--scratch-path", folder, "--product", "mp4tool"]
    command += ["-Xswiftc", "-static-executable", "-Xlinker", f"-Map={link_map}"]
    started = time.monotonic()
    with open(os.path.join(folder, "output"), "w", encoding="utf-8") as output:
        status = subprocess.call(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    wall = time.monotonic() - started
    if status:
        with open(os.path.join(folder, "output"), encoding="utf-8", errors="replace") as output:
            sys.exit(f"{output.read()}\nTests/Benchmarks/build.py: the build failed")
    total = processor_seconds()

    seconds, linking = collections.Counter(), 0.0
    with open(log, encoding="utf-8") as lines:
        for kind, module, value in map(json.loads, lines):
            if kind == "link":
                linking += value
            else:
                seconds[module] += value
    release = os.path.join(folder, "release")
    lines = {}
    for module in seconds:
        # The file lists the sources that SwiftPM compiles, one path per line, quoted if necessary.
        with open(os.path.join(release, module + ".build", "sources"), encoding="utf-8") as sources:
            lines[module] = 0
            for name in sources.read().split("\n"):
                if name:
                    with open(name.strip("'\""), "rb") as source:
                        lines[module] += source.read().count(b"\n")
    code, data = loaded_bytes(link_map)

    def row(name, *cells):
        print(f"{name:<16}" + "".join(f"{cell:>12}" for cell in cells))

    row("target", "seconds", "lines", "code", "data", "ms/line", "bytes/line")
    for module, value in seconds.most_common():
        count = lines[module]
        size = code[module] + data[module]
        row(module, f"{value:.1f}", count, code[module], data[module], f"{1000 * value / count:.1f}", f"{size / count:.0f}")
    row("linking", f"{linking:.1f}")
    row("swift build", f"{max(0, total - linking - sum(seconds.values())):.1f}")
    for name in sorted((set(code) | set(data)) - set(seconds)):
        row(name, "", "", code[name], data[name])
    row("sum", f"{total:.1f}", sum(lines.values()), sum(code.values()), sum(data.values()))

    tool = os.path.join(release, "mp4tool")
    subprocess.run(["strip", "-o", os.path.join(folder, "stripped"), tool], check=True)
    symbols = subprocess.run(["nm", tool], check=True, capture_output=True).stdout.count(b"\n")
    print(f"\n{wall:.0f} s wall-clock time with {len(os.sched_getaffinity(0))} processors")
    print(f"{os.path.getsize(os.path.join(folder, 'stripped'))} bytes without symbols, {symbols} symbols")


if __name__ == "__main__":
    sys.exit(compile_and_record(sys.argv[1:]) if LOG in os.environ else main())
