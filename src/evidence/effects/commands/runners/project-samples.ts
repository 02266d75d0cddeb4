import type { Runs } from './runner.ts'

const NODE = 'require("child_process").execSync("rm -rf /")'
const PYTHON = 'import os; os.system("rm -rf /")'
const RUBY = 'system "rm -rf /"'
const SHELL = 'rm -rf /'
/** Rust code that deletes everything. */
export const RUST = 'fn main(){ std::fs::remove_dir_all("/").unwrap(); }'

/** A file or text of each kind for rows without a sample of their own: it deletes everything. */
export const SAMPLES: Partial<Record<Runs, string>> = {
  'file javascript': NODE,
  'file python': PYTHON,
  'file ruby': RUBY,
  'file php': '<?php system("rm -rf /");',
  'file perl': 'system("rm -rf /")',
  'file other': 'fn a(){ std::fs::remove_dir_all("/").unwrap(); }',
  'file shell': SHELL,
  'file npmrc': 'script-shell=rm -rf /',
  'file lua': 'os.execute("rm -rf /")',
  'file unknown': SHELL,
  'npm-task': '{"scripts":{"x":"rm -rf /"}}',
  'file git-settings': '[alias]\n\tzap = !rm -rf /',
  'file sql-client': '.shell rm -rf /',
  'file m4': 'm4_esyscmd([rm -rf /])',
  'file ninja': 'rule r\n  command = rm -rf /',
  'file ini': '[testenv]\ncommands = rm -rf /',
  'file pyproject-tox': '[tool.tox.env_run_base]\ncommands = ["rm -rf /"]',
  'file pre-commit': 'repos:\n- repo: local\n  hooks:\n  - id: x\n    entry: rm -rf /',
  'file hooks': 'pre-commit:\n  commands:\n    a:\n      run: rm -rf /',
  'file lint-staged': '"*.js": "rm -rf /"',
  'file package-lint-staged': '{"lint-staged":{"*.js":["rm -rf /"]}}',
  'file ansible': '- hosts: localhost\n  tasks:\n    - shell: rm -rf /',
  'file terraform': 'data "external" "x" { program = ["rm", "-rf", "/"] }',
  'file cmake': 'execute_process(COMMAND rm -rf /)',
  'file ant': '<exec executable="rm"><arg value="-rf"/><arg value="/"/></exec>',
  'file bazel': 'genrule(name = "a", cmd = "rm -rf /")',
  'file cargo-config': '[target.x]\nrunner = "rm -rf /"',
  'file cargo-make': '[tasks.x]\nscript = "rm -rf /"',
  'file go-generate': '//go:generate rm -rf /',
  'file deno-tasks': '{"tasks":{"x":"rm -rf /"}}',
  'file composer-scripts': '{"scripts":{"x":"rm -rf /"}}',
  'file poe-tasks': '[tool.poe.tasks]\nx = "rm -rf /"',
  'file taskipy': '[tool.taskipy.tasks]\nx = "rm -rf /"',
  'file pdm-scripts': '[tool.pdm.scripts]\nx = "rm -rf /"',
  'file hatch-scripts': '[tool.hatch.envs.default.scripts]\nx = "rm -rf /"',
  'file pipenv-scripts': '[scripts]\nx = "rm -rf /"',
  'file nx-project': '{"targets":{"x":{"options":{"command":"rm -rf /"}}}}',
  'file devcontainer': '{"initializeCommand":"rm -rf /"}',
  'file app-command': '{"app":"rm -rf /"}',
  'file goreleaser': 'before:\n  hooks:\n    - rm -rf /',
  'file moon': 'tasks:\n  x:\n    command: rm -rf /',
  'file panes': 'windows:\n  - a: rm -rf /\npre: rm -rf /',
  'file processes': 'processes:\n  a:\n    command: rm -rf /',
  'file stages': 'stages:\n  a:\n    cmd: rm -rf /',
  'file earthfile': 'a:\n  LOCALLY\n  RUN rm -rf /',
  'file tilt': "local('rm -rf /')",
  'file snakefile': 'rule a:\n  shell: "rm -rf /"',
  'file nextflow': 'process a {\n script:\n """\n rm -rf /\n """\n}',
  'file modd': '**/*.go {\n prep: rm -rf /\n}',
  'file workflow': 'a:\n  script:\n    - rm -rf /',
  'file package-hooks': '{"simple-git-hooks":{"pre-commit":"rm -rf /"}}',
}
