import { expect, test } from 'vitest'
import { DEFAULT_EFFECT_BUDGET } from '../../engine/analysis.ts'
import { analyseEffects } from '../../analyse-effects.ts'
import { effectNotation } from '../../effect-notation.fixture.ts'
import { GUARD, callOf } from '../../fixture.ts'
import { createGivenWorld } from '../../world/given-world.ts'

/** Effects that the pack `baseline` asks about or refuses. */
const REFUSED =
  /^(?:fs\.delete\S*@(?:\S*,)?(?:root|system|home|workspace-root|credential|guard|vcs)(?:,|$)|fs\.delete\S*\+recursive\S*@(?:\S*,)?(?:home-file|other|unresolved)(?:,|$)|device\.|fs\.write\S*@(?:\S*,)?(?:system|root|guard)(?:,|$)|exec\.(?:remote|decoded|shell-bridge|fork-bomb)|secret\.(?:read|send)|vcs\.(?:discard|rewrite|config)|db\.destroy|persistence|package\.(?:publish|source)|guard\.|unresolved\S*\+(?:syntax|depth|dialect|budget|unreadable|runner)|env\.read)/

/** A workspace with many tools, and ordinary content of their files. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    scripts: { build: 'rimraf dist && tsc -p .', test: 'vitest run', dev: 'nodemon --exec "node src/a.js"' },
    'lint-staged': { '*.ts': ['eslint --fix', 'prettier --write'] },
    'simple-git-hooks': { 'pre-commit': 'npx lint-staged' },
  }),
  justfile:
    'set shell := ["bash", "-uc"]\nversion := `git describe --tags`\n\ndefault: build\n\nbuild target="debug": lint\n  @echo {{target}}\n  cargo build --profile {{target}}\n  rm -rf dist/{{target}}\n\nlint:\n  cargo clippy\n\nclean:\n  rm -rf target dist\n\nscript:\n  #!/usr/bin/env python3\n  import shutil\n  shutil.rmtree("build", ignore_errors=True)\n',
  'Taskfile.yml':
    'version: "3"\nvars:\n  REV:\n    sh: git rev-parse HEAD\ntasks:\n  default:\n    deps: [lint]\n    cmds:\n      - go build -o bin/app {{.ROOT}}/cmd\n      - task: clean\n  lint:\n    cmds: [golangci-lint run]\n  clean:\n    cmds:\n      - rm -rf bin coverage.out\n',
  'mise.toml':
    '[tools]\nnode = "24"\npython = "3.13"\n\n[env]\nFOO = "bar"\n\n[tasks.build]\nrun = "npm run build"\ndepends = ["lint"]\n\n[tasks.lint]\nrun = ["npm run lint", "rm -rf .cache"]\n\n[hooks]\nenter = "echo hello"\n',
  Rakefile:
    'require "rake/clean"\nCLEAN.include("pkg")\ntask :default => [:test]\ntask :test do\n  sh "ruby -Ilib -e \'Dir[\\"test/*.rb\\"].each { |f| load f }\'"\n  rm_rf "coverage"\nend\n',
  'conftest.py':
    'import os\nimport shutil\nimport subprocess\nimport pytest\n\n@pytest.fixture\ndef repo(tmp_path):\n    subprocess.run(["git", "init"], cwd=tmp_path, check=True)\n    yield tmp_path\n    shutil.rmtree(tmp_path)\n\nos.environ.setdefault("X", "1")\n',
  'tests/test_a.py':
    'import os\nfrom unittest import mock\n\ndef test_remove(tmp_path):\n    p = tmp_path / "a"\n    p.write_text("x")\n    os.remove(p)\n    with mock.patch("os.system") as s:\n        s("rm -rf /")\n',
  'noxfile.py':
    'import nox\n\n@nox.session(python=["3.12"])\ndef tests(session):\n    session.install("-e", ".[test]")\n    session.run("pytest", "-q", *session.posargs)\n    session.run("rm", "-rf", "build", external=True)\n',
  'tasks.py': 'from invoke import task\n\n@task\ndef build(c):\n    c.run("rm -rf build && python -m build")\n',
  'tox.ini':
    '[tox]\nenvlist = py312\n\n[testenv]\ndeps =\n  pytest\ncommands =\n  pytest {posargs}\n  - rm -rf {envtmpdir}/x\n  python -c "print(1)"\n',
  '.pre-commit-config.yaml':
    'repos:\n- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: v0.6.0\n  hooks:\n  - id: ruff\n    args: [--fix]\n- repo: local\n  hooks:\n  - id: types\n    name: types\n    entry: npx tsc --noEmit\n    language: system\n    pass_filenames: false\n',
  'lefthook.yml': 'pre-commit:\n  commands:\n    lint:\n      glob: "*.ts"\n      run: npx eslint {staged_files}\n',
  '.husky/pre-commit': 'npx lint-staged\n',
  '.git/config':
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:a/b.git\n[alias]\n\tco = checkout\n\tst = status -sb\n\tlast = !git log -1\n\troot = !pwd\n',
  '.git/hooks/pre-commit': '#!/bin/sh\nexec npx lint-staged\n',
  'build.rs':
    'use std::{env, fs, path::Path, process::Command};\nfn main() {\n    println!("cargo:rerun-if-changed=build.rs");\n    let out = env::var("OUT_DIR").unwrap();\n    let dest = Path::new(&out).join("gen.rs");\n    fs::write(&dest, "pub const X: u32 = 1;").unwrap();\n    let _ = Command::new("git").args(["rev-parse", "HEAD"]).output();\n    let _ = fs::remove_dir_all(Path::new(&out).join("tmp"));\n}\n',
  'src/main.rs':
    'use std::fs;\nfn main() {\n    let dir = tempfile::tempdir().unwrap();\n    fs::remove_dir_all(dir.path()).unwrap();\n    println!("x");\n}\n',
  '.cargo/config.toml':
    '[build]\nrustflags = ["-C", "target-cpu=native"]\n\n[target.x86_64-unknown-linux-gnu]\nlinker = "clang"\n\n[alias]\nxtask = "run -p xtask --"\n',
  'main.go':
    'package main\n\nimport (\n\t"fmt"\n\t"os"\n\t"os/exec"\n\t"path/filepath"\n)\n\n//go:generate stringer -type=Kind\n\nfunc main() {\n\thome, err := os.UserHomeDir()\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tcfg := filepath.Join(home, ".config", "app.toml")\n\tdata, _ := os.ReadFile(cfg)\n\ttmp, _ := os.MkdirTemp("", "x")\n\tdefer os.RemoveAll(tmp)\n\tout, _ := exec.Command("git", "status").Output()\n\tfmt.Println(string(data), string(out))\n}\n',
  'a_test.go':
    'package main\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {\n\tdir := t.TempDir()\n\tdefer os.RemoveAll(dir)\n}\n',
  'x.c':
    '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n  char buf[64];\n  snprintf(buf, sizeof buf, "%s/.apprc", getenv("HOME"));\n  FILE *f = fopen(buf, "r");\n  if (f) fclose(f);\n  unlink("/tmp/x.sock");\n  return argc > 1 ? system(argv[1]) : 0;\n}\n',
  'Main.java':
    'import java.nio.file.*;\npublic class Main {\n  public static void main(String[] args) throws Exception {\n    Path tmp = Files.createTempDirectory("x");\n    Files.deleteIfExists(tmp);\n    Process p = new ProcessBuilder("git", "status").start();\n    System.out.println(p.waitFor());\n  }\n}\n',
  'CMakeLists.txt':
    'cmake_minimum_required(VERSION 3.20)\nproject(app)\nexecute_process(COMMAND git rev-parse --short HEAD OUTPUT_VARIABLE REV OUTPUT_STRIP_TRAILING_WHITESPACE)\nadd_custom_command(OUTPUT gen.h COMMAND ${CMAKE_COMMAND} -E copy a.h gen.h DEPENDS a.h)\nadd_custom_target(docs COMMAND doxygen Doxyfile)\nfile(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/gen)\nadd_executable(app x.c)\n',
  'x.cmake': 'message(STATUS "hello")\nfile(WRITE build/x.txt "a")\n',
  'build.ninja':
    'rule cc\n  command = gcc -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\nrule clean\n  command = rm -f a.o\nbuild a.o: cc x.c\n',
  Makefile: 'build:\n\tgcc -o app x.c\nclean:\n\trm -rf app build\n',
  'main.tf':
    'terraform {\n  required_version = ">= 1.6"\n}\nresource "null_resource" "a" {\n  provisioner "local-exec" {\n    command = "kubectl apply -f k8s/ && echo done"\n  }\n}\ndata "external" "rev" {\n  program = ["bash", "-c", "jq -n --arg r $(git rev-parse HEAD) \'{rev: $r}\'"]\n}\n',
  'site.yml':
    '- hosts: web\n  become: true\n  tasks:\n    - name: install\n      apt: { name: nginx, state: present }\n    - name: reload\n      command: systemctl reload nginx\n    - shell: cd /srv/app && git pull\n      args:\n        chdir: /srv\n',
  'build.gradle':
    'plugins { id "java" }\nrepositories { mavenCentral() }\ntask docs(type: Exec) {\n  commandLine "bash", "-c", "mkdocs build"\n}\nclean { delete "generated" }\ndef rev = "git rev-parse HEAD".execute().text.trim()\n',
  'pom.xml':
    '<project><build><plugins><plugin><artifactId>exec-maven-plugin</artifactId><configuration><executable>npm</executable><arguments><argument>run</argument><argument>build</argument></arguments></configuration></plugin></plugins></build></project>',
  'build.xml':
    '<project><target name="clean"><delete dir="build"/></target><target name="run"><exec executable="java"><arg value="-version"/></exec></target></project>',
  'deno.json': '{"tasks":{"dev":"deno run --watch main.ts","clean":"rm -rf dist"}}',
  'composer.json': '{"scripts":{"test":"phpunit","post-install-cmd":["@php artisan key:generate"]}}',
  'pyproject.toml':
    '[build-system]\nrequires = ["hatchling"]\n\n[tool.poe.tasks]\ntest = "pytest -q"\nclean = { shell = "rm -rf build dist *.egg-info" }\n\n[tool.pdm.scripts]\nlint = "ruff check ."\n\n[tool.hatch.envs.default.scripts]\ncov = "pytest --cov={args:src}"\n\n[tool.taskipy.tasks]\nfmt = "ruff format"\n',
  Procfile: 'web: node server.js --port $PORT\nworker: python worker.py\n',
  'vite.config.ts':
    "import { defineConfig } from 'vite'\nimport { execSync } from 'node:child_process'\nconst rev = execSync('git rev-parse HEAD').toString()\nexport default defineConfig({ define: { rev } })\n",
  'jest.config.js': "module.exports = { testEnvironment: 'node' }\n",
  'gulpfile.js':
    "const { src, dest } = require('gulp')\nconst del = require('del')\nexports.clean = () => del(['dist/**'])\nexports.default = () => src('src/*.js').pipe(dest('dist'))\n",
  'a.test.ts':
    "import { rmSync, mkdtempSync } from 'node:fs'\nimport { tmpdir } from 'node:os'\nimport { join } from 'node:path'\nimport { test } from 'vitest'\ntest('a', () => {\n  const dir = mkdtempSync(join(tmpdir(), 'x-'))\n  rmSync(dir, { recursive: true, force: true })\n})\n",
  Snakefile: 'rule all:\n  input: "out.txt"\nrule a:\n  output: "out.txt"\n  shell: "sort {input} > {output}"\n',
  'dvc.yaml': 'stages:\n  train:\n    cmd: python train.py\n',
  Dockerfile: 'FROM node:24\nRUN rm -rf /var/lib/apt/lists/*\n',
  Gemfile: 'source "https://rubygems.org"\ngem "rails"\n',
  Vagrantfile:
    'Vagrant.configure("2") do |config|\n  config.vm.box = "debian/bookworm64"\n  config.vm.provision "shell", inline: "apt-get update"\nend\n',
  'mix.exs':
    'defmodule A.MixProject do\n  use Mix.Project\n  def project, do: [app: :a, version: "0.1.0", deps: deps()]\n  defp deps, do: [{:jason, "~> 1.4"}]\nend\n',
  'x.sed': 's/foo/bar/g\n/^#/d\n',
  'x.vim': 'set number\n%s/foo/bar/ge\nwrite\nquit\n',
  'x.gdb': 'set pagination off\nbreak main\nrun\nbt\nquit\n',
  'q.sql': 'select count(*) from users;\n.mode csv\n.headers on\n',
  'a.R': 'library(dplyr)\ndf <- read.csv("data.csv")\nunlink("tmp", recursive = TRUE)\nprint(summary(df))\n',
  'a.jl':
    'using CSV, DataFrames\ndf = CSV.read("a.csv", DataFrame)\nrm("tmp"; recursive=true, force=true)\nprintln(size(df))\n',
  'paper.tex': '\\documentclass{article}\n\\begin{document}\nHello $x$\n\\end{document}\n',
  'Package.swift':
    '// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: "A", targets: [.executableTarget(name: "A")])\n',
  'configure.ac': 'AC_INIT([a], [1.0])\nAM_INIT_AUTOMAKE\nAC_OUTPUT\n',
  'meson.build':
    "project('a', 'c')\nrev = run_command('git', 'rev-parse', 'HEAD', check: true).stdout().strip()\nexecutable('a', 'x.c')\n",
  'ecosystem.config.js': "module.exports = { apps: [{ name: 'a', script: 'server.js' }] }\n",
  'worker.py': 'import subprocess\nsubprocess.run(["git", "gc"])\n',
}

const COMMANDS: readonly string[] = [
  'just',
  'just build release',
  'just clean',
  'just script',
  'just --list',
  'task',
  'task clean',
  'task --list',
  'mise run build',
  'mise install',
  'mise exec -- node --version',
  'eval "$(mise activate bash)"',
  'rake',
  'rake test',
  'bundle exec rake',
  'bundle install',
  'pytest',
  'pytest -x tests/test_a.py',
  'python -m pytest -q',
  'nox -s tests',
  'inv build',
  'tox -e py312',
  'pre-commit run -a',
  'pre-commit install',
  'lefthook run pre-commit',
  'npx lint-staged',
  'npx husky',
  'git st',
  'git co main',
  'git last',
  'git commit -m "x"',
  'git push origin feature',
  'git rebase -x "npm test" main',
  'git bisect run npm test',
  'git submodule foreach git pull',
  'cargo build',
  'cargo build --release',
  'cargo test',
  'cargo run -- --help',
  'cargo clippy',
  'cargo xtask dist',
  'go generate ./...',
  'go run .',
  'go run main.go',
  'go test ./...',
  'go build ./... && ./app',
  'gcc x.c && ./a.out',
  'gcc -O2 -o app x.c -lm && ./app',
  'make && ./app',
  'make clean',
  'make --version',
  'javac Main.java && java Main',
  'java Main.java',
  'java -jar build/app.jar',
  'cmake -B build -S .',
  'cmake --build build',
  'cmake -P x.cmake',
  'ctest --test-dir build',
  'ninja',
  'ninja -C build',
  'meson setup build',
  'terraform init',
  'terraform plan',
  'ansible-playbook site.yml',
  'ansible-playbook -i hosts site.yml --check',
  './gradlew build',
  'gradle clean',
  'mvn package',
  'ant clean',
  'deno task dev',
  'deno test',
  'composer install',
  'composer test',
  'poe test',
  'poe clean',
  'pdm run lint',
  'hatch run cov',
  'uv sync',
  'uv run pytest',
  'uvx ruff check .',
  'bun install',
  'bun run build',
  'bun test',
  'bunx prettier --check .',
  'foreman start',
  'honcho start web',
  'vite build',
  'npx vitest run',
  'npx jest',
  'gulp',
  'eslint .',
  'snakemake -c1',
  'dvc repro',
  'vagrant up',
  'mix test',
  'mix deps.get',
  'sed -f x.sed a.txt',
  'vim -S x.vim a.txt',
  "vim -es -c '%s/a/b/g' -c 'wq' a.txt",
  'gdb -batch -x x.gdb ./a.out',
  'gdb -batch -ex run -ex bt --args ./a.out 1',
  'sqlite3 x.db < q.sql',
  'psql -f q.sql',
  'Rscript a.R',
  'R -e "shiny::runApp()"',
  'Rscript -e \'install.packages("dplyr")\'',
  "Rscript -e 'cat(1 + 1)'",
  'julia a.jl',
  'julia --project -e "using Pkg; Pkg.instantiate()"',
  'julia -e \'using Test; include("test/runtests.jl")\'',
  "elixir -e 'IO.inspect(Enum.sum(1..10))'",
  "groovy -e 'println new Date()'",
  'swift build',
  'swift test',
  "ocaml -e 'print_endline (string_of_int 3)'",
  "raku -e 'say (1..10).sum'",
  "ghc -e 'map (+1) [1,2,3]'",
  'emacs --batch -f batch-byte-compile a.el',
  'emacs --batch --eval \'(message "%s" emacs-version)\'',
  'clojure -M:test',
  "lua -e 'print(_VERSION)'",
  "tclsh <<< 'puts hello'",
  "octave --eval 'disp(inv([1 2; 3 4]))'",
  'gnuplot -e "set term png; set output \'a.png\'; plot sin(x)"',
  'pdflatex -interaction=nonstopmode paper.tex',
  'latexmk -pdf paper.tex',
  'groff -man -Tascii a.1',
  'm4 -DX=1 a.m4',
  'autoreconf -fi',
  'tmux new -d -s a "npm run dev"',
  'tmux ls',
  'watchexec -e ts npm test',
  "nodemon --exec 'npm test'",
  'entr -r npm start < files.txt',
  "concurrently 'npm run dev' 'npm run api'",
  'pm2 start ecosystem.config.js',
  'pm2 start server.js --name web',
  'supervisorctl status',
  'nix develop -c npm test',
  "nix-shell -p nodejs --run 'npm test'",
  'nix build .#app',
  'devbox run test',
  'guix shell node -- npm test',
  'toolbox run npm test',
  'pixi run test',
  'rye run lint',
  'direnv allow',
  'direnv exec . npm test',
  'coverage run -m pytest',
  'coverage report',
  "python3 -m timeit 'sum(range(100))'",
  'python3 -m cProfile -s cumtime worker.py',
  'python3 -m pdb worker.py',
  'python3 -m venv .venv',
  'streamlit run worker.py',
  'torchrun --nproc_per_node 2 worker.py',
  'mpirun -np 4 python3 worker.py',
  'srun -n 1 python3 worker.py',
  'sbatch --wrap="python3 worker.py"',
  'wezterm cli spawn -- npm run dev',
  'kitty @ launch npm run dev',
  'sftp host <<< "get a.txt"',
  'zip -r a.zip src',
  'zip -T a.zip',
  'tar czf a.tgz src',
  'ssh -o StrictHostKeyChecking=accept-new host uptime',
  'lerna run test',
  'npx nx run app:build',
  'act -j test',
  'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
  'RUST_LOG=debug cargo run',
  'CC=clang make',
  'PYTHONPATH=src pytest',
]

const world = createGivenWorld({
  home: '/home/user',
  files: {
    ...Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`/home/user/app/${name}`, text])),
    '/home/user/.gitconfig': '[user]\n\tname = A\n[alias]\n\tlg = log --graph\n',
  },
})

test.each(COMMANDS)('%s passes', (command) => {
  const { effects } = analyseEffects(callOf('Bash', { command }), {
    world,
    guard: GUARD,
    budget: DEFAULT_EFFECT_BUDGET,
  })
  expect(effects.map(effectNotation).filter((one) => REFUSED.test(one))).toEqual([])
})
