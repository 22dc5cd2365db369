"""Plain text and source code: the text is the decoded bytes, all of them."""

from __future__ import annotations

from collections.abc import Sequence

from gw_core.hookspecs import Register, hookimpl
from gw_core.model import Loaded
from gw_core.protocols import Loader
from gw_core.text.decode import decode

# Source code, and data whose lines must stay whole. What is named in neither list is prose.
_CODE_SUFFIXES = frozenset(
    """.ada .adb .ads .agda .applescript .as .asm .astro .awk .bas .bash .bat .bib .bzl .c .c++ .cbl .cc .cfg .cjs .clj
    .cljc .cljs .cls .cmake .cmd .cob .coffee .conf .cpp .cpy .cr .cs .csh .cshtml .csproj .css .csv .cts .cu .cue .cuh
    .cxx .d .dart .desktop .diff .dockerfile .dot .dts .dtsi .el .elm .erb .erl .ex .exs .f .f03 .f08 .f77
    .f90 .f95 .feature .fish .for .fs .fsi .fsproj .fsx .gd .geojson .glsl .go .gql .gradle .graphql .groovy .h .h++
    .haml .hbs .hcl .hh .hpp .hrl .hs .http .hxx .i .inc .ini .inl .ino .ipp .j2 .java .jinja .jinja2 .jl .js .json
    .json5 .jsonc .jsonl .jsonnet .jsx .kt .kts .less .lhs .lisp .lock .lsp .lua .m .mak .make .mako .meson .mjs .mk
    .ml .mli .mm .mod .mts .ndjson .nim .ninja .nix .nu .odin .pas .patch .pbtxt .php .pl .plist .pm .po .pot .pp
    .prisma .pro .properties .proto .ps1 .psd1 .psm1 .pug .purs .py .pyi .pyw .pyx .pxd .qml .r .rake .rb .re .rego
    .rkt .rs .s .sass .sbt .scala .scm .scss .sed .service .sh .sln .sol .spec .sql .srt .ss .star .strings .styl .sv
    .svelte .svg .svh .swift .t .tcl .tf .tfvars .thrift .toml .tpl .ts .tsv .tsx .twig .v .vala .vb .vbs .vcxproj .vhd
    .vhdl .vim .vtt .vue .wast .wat .wsdl .xaml .xliff .xml .xq .xsd .xsl .xslt .yaml .yml .zig .zsh""".split()
)
_CODE_NAMES = frozenset(
    """.bash_profile .bashrc .clang-format .clang-tidy .dockerignore .editorconfig .eslintrc .gitattributes .gitconfig
    .gitignore .gitmodules .inputrc .npmrc .prettierrc .profile .pylintrc .tmux.conf .vimrc .zshrc
    brewfile buck build build.bazel caddyfile cmakelists.txt codeowners containerfile dockerfile gemfile gnumakefile
    go.mod go.sum jenkinsfile justfile kconfig makefile meson.build meson_options.txt module.bazel pipfile podfile
    procfile rakefile requirements.txt constraints.txt sconscript sconstruct snakefile tiltfile vagrantfile
    workspace""".split()
)
_TEMPLATES = frozenset(("in", "sample", "example", "dist", "template"))


def kind_of(path: str) -> str:
    """``code`` or ``text``, by the name of the file alone.

    >>> kind_of("deploy/Dockerfile.prod"), kind_of("src/main.rs"), kind_of("NOTES")
    ('code', 'code', 'text')
    """
    name = path.rpartition("/")[2].lower()
    if name in _CODE_NAMES or name.partition(".")[0] in ("dockerfile", "containerfile", "makefile"):
        return "code"
    stem, _, suffix = name.lstrip(".").rpartition(".")
    if suffix in _TEMPLATES:
        stem, _, suffix = stem.rpartition(".")  # config.h.in is C still
    return "code" if stem and "." + suffix in _CODE_SUFFIXES else "text"


class Text:
    """The loader of every file that no other loader takes."""

    name = "text"
    version = "1"
    extracts = False
    suffixes: Sequence[str] = (".txt",)

    def load(self, data: bytes, path: str, encoding: str | None = None) -> Loaded:
        decoded = decode(data, encoding)
        return Loaded(decoded.text, decoded.encoding, kind_of(path))


@hookimpl
def gw_register_loaders(register: Register[Loader]) -> None:
    register("text", "gw_plugins.loaders.text:Text", help="plain text and source code, in any encoding")
