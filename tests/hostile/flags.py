"""Flags by which a stranger would have the compiler write files, load them, or run programs.

for name, words in FLAGS:
    "optimisation"    ("-fopt-info-all=@/harm",)     @ stands for a folder
"""

from __future__ import annotations

FLAGS: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (line.split(": ")[0], tuple(line.split(": ")[1].split(" ")))
    for line in """\
optimisation: -fopt-info-all=@/harm
optimisation, beside: -fopt-info-vec=harm
trees: -fdump-tree-all=@/harm
trees, in a folder: -dumpdir @/harm- -fdump-tree-all
languages: -fdump-lang-all=@/harm
passes: -fdump-ipa-all=@/harm
instructions: -fdump-rtl-all=@/harm
final instructions: -fdump-final-insns=@/harm
Go: -fdump-go-spec=@/harm
Ada: -fdump-ada-spec
prototypes: -aux-info @/harm
temporaries: -save-temps=obj
temporaries, elsewhere: -dumpbase @/harm -save-temps
calls: -fcallgraph-info=su
stacks: -fstack-usage
coverage: --coverage
notes: -ftest-coverage -fprofile-note=@/harm
profiles: -fprofile-arcs -fprofile-dir=@/harm
profiles, generated: -fprofile-generate=@/harm
profiles, used: -fprofile-use=@/harm
profiles, automatic: -fauto-profile=@/harm
record: -fsave-optimization-record
dependencies: -MD -MF @/harm
dependencies, joined: -MMD -MF@/harm
dependencies, of modules: -fdeps-file=@/harm -fdeps-format=p1689r5
preprocessor: -Wp,-MD,@/harm
preprocessor, apart: -Xpreprocessor -MD -Xpreprocessor @/harm
assembler: -Wa,-a=@/harm
assembler, apart: -Xassembler -a=@/harm
linker: -Wl,-Map=@/harm
linker, apart: -Xlinker -Map=@/harm
output: -o @/harm
output, joined: -o@/harm
output, long: --output=@/harm
diagnostics: -fdiagnostics-format=sarif-file
diagnostics, added: -fdiagnostics-add-output=sarif:file=@/harm
plugin: -fplugin=@/harm.so
plugin of passes: -fpass-plugin=@/harm.so
plugin of LLVM: -mllvm -load=@/harm.so
specs: -specs=@/harm
specs, apart: --specs @/harm
wrapper: -wrapper @/harm
programs: -B@/
programs, apart: -B @
linker program: -fuse-ld=@/harm
offloading: -foffload=@/harm
link time: -flto=@/harm
response: @@/response
response, included: -include @@/response
response, in a folder: -I @@/response
response, a macro: -imacros @@/response
time trace: -ftime-trace=@/harm
modules: -fmodules -fmodules-cache-path=@/harm
self-test: -fself-test=@/harm
library of a path: -l:../../../../../../..@/harm""".splitlines()
)


def placed(words: tuple[str, ...], folder: str) -> list[str]:
    """The words with ``folder`` for each ``@`` before a slash, or at the end."""
    return [word.replace("@/", f"{folder}/").removesuffix("@") or folder for word in words]
