import { words } from '../../values/words.ts'
import { type Narrowing, type RunnerRow, type Runs, filesOf } from './runner.ts'

/** Commands of git itself; any other word is an alias. */
const GIT_OWN = words(`add am annotate apply archive bisect blame branch bundle cat-file check-ignore checkout
  cherry cherry-pick clean clone commit commit-tree config count-objects credential describe diff diff-files
  diff-index diff-tree difftool fast-export fast-import fetch filter-branch filter-repo for-each-ref format-patch
  fsck gc grep hash-object help hook init lfs log ls-files ls-remote ls-tree maintenance merge merge-base merge-file
  mergetool mktree mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack
  replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch
  show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref var verify-commit
  version whatchanged worktree write-tree`).join('|')

const SCRIPT = 'exec.run+script@workspace'
const ROOT = 'fs.delete+recursive+force@root'

/** How `git` and `go` parse their options. */
const GIT = { values: '-C -c --git-dir --work-tree --namespace --exec-path', stopAtOperand: true } as const
const GO = {
  values: '-C -o -run -tags -exec -toolexec -vet -modfile -count -timeout -bench',
  dash: 'single',
} as const

/** Runners whose file or command is the value of an option. */
const BY_OPTION: readonly RunnerRow[] = [
  {
    names: 'uv pdm rye pixi hatch poetry pipenv',
    values: '--with --python -p --project --directory --extra --group --env-file --index -e -C',
    lines: [['file python', 'run .']],
    when: /\.pyw?$/,
    examples: [['uv run --script x.py', SCRIPT]],
  },
  {
    names: 'concurrently',
    values: '-n --names -c --prefix-colors',
    lines: [['npm-task', '+']],
    when: /^npm:/,
    files: { 'package.json': '{"scripts":{"dev":"rm -rf /"}}' },
    examples: [["concurrently 'npm:dev'", ROOT]],
  },
  {
    names: 'dotnet dotnet-script csi scriptcs mono',
    values: '--project -c -f',
    lines: [
      [
        'file other',
        `script|run|fsi ., !script|run|fsi|build|test|restore|publish|tool|add|new|nuget|ef|watch|clean|pack .,
        run ./Program.cs`,
      ],
    ],
    examples: [
      ['dotnet script x.csx', SCRIPT],
      ['dotnet fsi --exec x.fsx', SCRIPT],
    ],
  },
  {
    names: 'make gmake bmake kati remake',
    values: '-f -C --file --makefile --directory -I -o -W --eval -E',
    lines: [['make', '--eval|-E']],
    examples: [["make --eval='x:;rm -rf /' x", ROOT, 'unresolved@unresolved']],
  },
  {
    names: 'go',
    ...GO,
    lines: [['shell', 'run|test|build|vet|install -exec|-toolexec']],
    examples: [["go test -exec 'rm -rf /' ./...", ROOT]],
  },
  {
    names: 'git',
    ...GIT,
    lines: [
      ['shell', 'submodule foreach .'],
      ['file unknown', 'hook run .'],
    ],
    examples: [
      ["git submodule foreach 'rm -rf /'", ROOT],
      ['git hook run pre-commit', SCRIPT],
    ],
  },
  {
    names: 'bun deno node',
    values: '--preload -r --require --import --config -c --tsconfig --env-file --test-reporter --filter --cwd',
    lines: [['file javascript', '--preload']],
    examples: [['bun --preload ./a.ts install', SCRIPT, 'package.install']],
  },
  {
    names: 'sqlite3 sqlite duckdb litecli',
    values: '-init -cmd -separator -c -s',
    dash: 'single',
    lines: [['file sql-client', '-init']],
    examples: [
      ['sqlite3 -init q.sql x.db', SCRIPT, 'fs.read@workspace', 'fs.read@workspace'],
      ["sqlite3 -cmd '.shell rm -rf /' x.db", ROOT, 'fs.read@workspace'],
    ],
  },
  {
    names: 'act',
    values: '-P --platform -W --workflows -j --job -e --eventpath -s --secret',
    lines: [['file workflow', '-W|--workflows, ./.github/workflows/*.yml, ./.github/workflows/*.yaml']],
    when: /-self-hosted$/,
    files: { '.github/workflows/a.yml': 'jobs:\n  a:\n    steps:\n      - run: rm -rf /' },
    examples: [
      ['act -P ubuntu-latest=-self-hosted', SCRIPT, ROOT],
      ['act -P ubuntu-latest=-self-hosted -W x.yml', SCRIPT, SCRIPT, ROOT],
    ],
  },
  {
    names: 'just',
    values: '-f --justfile -d --working-directory --set --shell --shell-arg -c --command',
    lines: [
      ['argv', '-c|--command…'],
      ['shell', '--shell'],
      ['file justfile', '-f|--justfile, ./justfile|Justfile|.justfile|JUSTFILE'],
    ],
    unless: words('-l --list --dry-run -n --show -s --summary --dump --evaluate --fmt --choose'),
    examples: [
      ['just -c rm -rf /', ROOT, 'exec.run+script@root'],
      ["printf 'go:\\n  rm -rf /\\n' > justfile; just go", 'fs.write@workspace', SCRIPT, ROOT],
    ],
  },
  {
    names: 'task go-task',
    values: '-t --taskfile -d --dir -C --concurrency -o --output -i --interval',
    lines: [
      ['file taskfile', '-t|--taskfile, ./Taskfile.yml|taskfile.yml|Taskfile.yaml|taskfile.yaml|Taskfile.dist.yml'],
    ],
    unless: ['-l', '--list', '--list-all', '-a', '--dry', '-n', '--summary', '--init', '-i'],
    examples: [
      [
        'printf \'tasks:\\n  go:\\n    cmds: ["rm -rf /"]\\n\' > Taskfile.yml; task go',
        'fs.write@workspace',
        SCRIPT,
        ROOT,
      ],
    ],
  },
  {
    names: 'mise rtx',
    values: '-C --cd -E --env -j --jobs -c --command',
    stopAtOperand: true,
    lines: [
      ['argv', 'exec|x --, watch --'],
      ['shell', 'exec|x -c|--command'],
      [
        'file mise',
        `run|r|tasks|watch ./mise.toml|.mise.toml|mise/config.toml|.config/mise.toml|mise.local.toml,
        !run|r|exec|x|use|install|i|ls|list|activate|env|doctor|trust|current|which|where|plugins|settings|cache|upgrade|outdated|set|unset|version|tasks|watch|prune|reshim|sync|hook-env|completion|self-update|generate|en|shell|uninstall|local|global
        ./mise.toml|.mise.toml|.config/mise.toml`,
      ],
      ['file mise-hooks', 'install|i|run|x|exec|env|en ./mise.toml|.mise.toml|.config/mise.toml'],
    ],
    examples: [
      ['printf \'[tasks.go]\\nrun = "rm -rf /"\\n\' > mise.toml; mise run go', 'fs.write@workspace', SCRIPT, ROOT],
      ['mise exec -- ls', 'fs.list@workspace-root'],
      ['mise ls'],
    ],
  },
  {
    names: 'rake rspec rackup puma thor',
    values: '-f --rakefile -C --config -r --require -I -e',
    stopAtOperand: true,
    lines: [['file ruby', '-f|--rakefile|-C|--config, -r|--require']],
    when: /^-(?:f|C|r)$|^--(?:rakefile|require|config)/,
    examples: [['rake -f x.rake', SCRIPT]],
  },
]

const NODE = 'require("child_process").execSync("rm -rf /")'
const PYTHON = 'import os; os.system("rm -rf /")'
const RUBY = 'system "rm -rf /"'
const SHELL = 'rm -rf /'
const RUST = 'fn main(){ std::fs::remove_dir_all("/").unwrap(); }'

/** A file or text of each kind for rows without a sample of their own: it deletes everything. */
const SAMPLES: Partial<Record<Runs, string>> = {
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

/** How a runner parses its arguments. */
type Reading = Partial<Pick<RunnerRow, 'values' | 'dash' | 'stopAtOperand' | 'when' | 'narrowed'>>

/** A runner that finds its files by itself: what it reads, where, and a sample call with a file that makes it run. */
type ProjectRow = readonly [
  names: string,
  runs: Runs,
  place: string,
  command: string,
  file: string,
  text: string,
  reading: Reading,
]

/** The default call that makes a runner look there: its first name with the first of the words. */
const callOf = (names: string, place: string): string =>
  [names, ...place.split(' ').slice(0, -1)].map((word) => word.split(/[ |]/)[0]).join(' ')

/**
 * Runners that find files of one kind. A row is `names: place $ command # file`: the place as in `RunnerLine`, then the
 * sample, a command that runs the file.
 * @param text the content of the file in the samples
 */
const found = (
  runs: Runs,
  rows: string,
  { text = SAMPLES[runs] ?? '', ...reading }: Reading & { readonly text?: string } = {},
): readonly ProjectRow[] =>
  rows
    .trim()
    .split('\n')
    .map((row) => {
      const [, names = '', place = '', command = callOf(names, place), file = filesOf(place)[0] ?? ''] =
        /^([^:]+): (.+?)(?: \$ (.+?))?(?: # (.+))?$/.exec(
          row.trim().replace(/(\|?)\s+/g, (_, bar: string) => bar || ' '),
        ) ?? []
      return [names, runs, place, command, file, text, reading]
    })

/** Operands are files and folders of tests. */
const BY_PATH: { readonly narrowed: Narrowing } = { narrowed: { by: 'path' } }
/** Operands are parts of paths. */
const BY_PART: { readonly narrowed: Narrowing } = { narrowed: { by: 'part' } }
const VITEST: { readonly narrowed: Narrowing } = {
  narrowed: { by: 'part', verbs: ['run', 'watch', 'dev', 'bench'], wholeWith: ['related', 'list'] },
}

/** Hooks of git, and the verbs that run each. */
const HOOKS = `
  git: commit|merge|am|cherry-pick|revert|rebase ./.git/hooks/pre-commit
  git: commit|merge|cherry-pick|revert|rebase ./.git/hooks/commit-msg
  git: commit|merge|rebase ./.git/hooks/prepare-commit-msg
  git: commit|merge ./.git/hooks/post-commit
  git: push ./.git/hooks/pre-push
  git: checkout|switch|clone|worktree|rebase ./.git/hooks/post-checkout
  git: merge|pull ./.git/hooks/post-merge
  git: rebase ./.git/hooks/pre-rebase`

/** Each fails without its row. */
export const PROJECT_ROWS: readonly ProjectRow[] = [
  // Tests; operands may narrow them.
  ...found(
    'file javascript',
    `bun: test ./**/*.test.{ts,js}|**/*.spec.ts|**/*.test.{tsx,mjs} # a.test.ts
    playwright: test ./**/*.spec.{ts,js} # tests/a.spec.ts`,
    BY_PART,
  ),
  ...found('file javascript', 'vitest jest: ./**/*.{test,spec}.{ts,js}|**/*.test.tsx # a.test.ts', VITEST),
  ...found(
    'file javascript',
    `mocha ava: ./test/*.{js,ts}|**/*.test.js # test/a.js
    deno: test ./**/*_test.ts|**/*.test.ts|**/*_test.js # a_test.ts`,
    BY_PATH,
  ),
  ...found('file javascript', 'node: ./**/*.test.{js,mjs,ts}|test/*.js $ node --test # a.test.js', {
    when: /^--test(?:=|$)/,
  }),
  ...found('file python', 'pytest py.test: ./**/test_*.py|**/*_test.py # tests/test_a.py', BY_PATH),
  ...found('file ruby', 'rspec: ./**/*_spec.rb # spec/a_spec.rb', BY_PATH),
  ...found('file php', 'phpunit pest: ./**/*Test.php # tests/ATest.php', BY_PATH),
  ...found('file perl', 'prove: ./t/*.t # t/a.t', BY_PATH),
  ...found('file other', 'cargo: test|t|nextest ./tests/*.rs # tests/a.rs'),
  ...found('file other', 'go: test +/*_test.go $ go test ./... # a_test.go', {
    ...GO,
    text: 'func TestA(t *testing.T){ os.RemoveAll("/") }',
  }),
  ...found('file other', 'mix: test ./test/*.exs # test/a_test.exs', { text: 'File.rm_rf!("/")' }),
  ...found(
    'file shell',
    `bats: test|tests ./*.bats # a.bats
    bats shellspec shunit2 roundup: + $ bats x.bats # x.bats`,
  ),

  ...found('file npmrc', 'npm pnpm yarn npx: ./.npmrc $ npm ls'),

  // Configuration that is code.
  ...found('file other', 'go: run +/*.go $ go run . # main.go', { ...GO, text: 'func main(){ os.RemoveAll("/") }' }),
  ...found('file ruby', 'rake: ./Rakefile|rakefile|Rakefile.rb|rakefile.rb', { text: 'task(:x) { sh "rm -rf /" }' }),
  ...found(
    'file ruby',
    `thor: ./Thorfile|thorfile $ thor x
    cap: ./Capfile|config/deploy.rb $ cap deploy
    pod: install|update ./Podfile
    bundle bundler: install|update|exec|check|lock|list ./Gemfile
    brew: bundle ./Brewfile
    rspec: ./spec/spec_helper.rb|spec_helper.rb
    guard: ./Guardfile
    danger: ./Dangerfile`,
  ),
  ...found('file ruby', 'fastlane: ./fastlane/Fastfile|Fastfile $ fastlane x # Fastfile', { text: 'sh "rm -rf /"' }),
  ...found('file ruby', 'vagrant: up|provision|reload|ssh|status|validate|destroy|halt ./Vagrantfile', {
    text: '`rm -rf /`',
  }),
  ...found(
    'file python',
    `pytest py.test: ./conftest.py
    invoke inv: ./tasks.py $ inv x
    doit: ./dodo.py
    fab: ./fabfile.py $ fab x
    scons: ./SConstruct|Sconstruct|sconstruct
    waf: ./wscript
    pip pipx uv poetry pdm easy_install build: install . ./setup.py $ pip install .
    locust: ./locustfile.py
    sphinx-build: ./conf.py|docs/conf.py|docs/source/conf.py $ sphinx-build a b
    conan: install|create|build ./conanfile.py $ conan install .`,
  ),
  ...found('file python', 'nox: ./noxfile.py', { text: 'def x(session): session.run("rm", "-rf", "/")' }),
  ...found(
    'file javascript',
    `gulp: ./gulpfile.{js,mjs,cjs,ts}|Gulpfile.js
    grunt: ./Gruntfile.js|gruntfile.js|Gruntfile.cjs
    jake: ./Jakefile|Jakefile.js|jakefile.js
    webpack webpack-cli: ./webpack.config.{js,ts,cjs,mjs}
    vite vitest: ./vitest.config.{ts,js,mjs}|vite.config.{ts,js,mjs,mts} $ vite build # vite.config.js
    jest: ./jest.config.{js,ts,cjs,mjs}
    mocha: ./.mocharc.{js,cjs}
    rollup: ./rollup.config.{js,mjs,ts,cjs} $ rollup -c
    eslint: ./eslint.config.{js,mjs,cjs,ts}|.eslintrc.{js,cjs} $ eslint src
    prettier: ./prettier.config.js|.prettierrc.js|prettier.config.{cjs,mjs}|.prettierrc.cjs $ prettier --check src
    babel: ./babel.config.{js,cjs}|.babelrc.js $ babel src
    next nuxt nuxi astro svelte-kit remix gatsby vue-cli-service ng expo react-native quasar docusaurus eleventy \
      vitepress storybook: ./next.config.{js,mjs,ts}|nuxt.config.ts|astro.config.mjs|svelte.config.js|remix.config.js|\
      gatsby-config.js|gatsby-node.js|vue.config.js|metro.config.js|docusaurus.config.js|.eleventy.js|\
      eleventy.config.js $ next build
    playwright cypress wdio karma ava tap nyc c8 stryker: ./playwright.config.{ts,js}|cypress.config.{ts,js}|\
      wdio.conf.js|karma.conf.js|ava.config.js|stryker.conf.js $ playwright test
    pnpm: install|i|add ./.pnpmfile.cjs|pnpmfile.js`,
  ),
  ...found(
    'file javascript',
    `tailwindcss postcss tsup unbuild esbuild parcel snowpack microbundle lint-staged commitlint semantic-release \
      release-it stylelint drizzle-kit knex sequelize typeorm plop hygen changeset cz svgo graphql-codegen orval: \
      ./tailwind.config.js|postcss.config.js|tsup.config.ts|build.config.ts|lint-staged.config.js|.lintstagedrc.js|\
      commitlint.config.js|release.config.js|stylelint.config.js|drizzle.config.ts|knexfile.js|plopfile.js|\
      svgo.config.js|codegen.ts $ tsup # tsup.config.ts`,
    { text: 'import { execSync } from "child_process"; execSync("rm -rf /")' },
  ),
  ...found(
    'file other',
    'cargo: build|b|run|r|test|t|check|c|bench|clippy|doc|install|publish|package|fix|nextest ./build.rs',
    { text: 'fn main(){ std::process::Command::new("rm").arg("-rf").arg("/").status(); }' },
  ),
  ...found(
    'file other',
    `cargo: run|r ./src/main.rs
    cargo: xtask ./xtask/src/main.rs`,
    { text: RUST },
  ),
  ...found('file other', 'gradle gradlew: ./build.gradle|build.gradle.kts', {
    text: 'exec { commandLine "rm", "-rf", "/" }',
  }),
  ...found('file other', 'gradle gradlew: ./settings.gradle|settings.gradle.kts', { text: '"rm -rf /".execute()' }),
  ...found('file other', 'sbt: ./build.sbt', { text: '"rm -rf /".!' }),
  ...found('file other', 'mill: ./build.{sc,mill}', { text: 'os.proc("rm", "-rf", "/").call()' }),
  ...found('file other', 'meson: setup|configure|compile ./meson.build', { text: "run_command('rm', '-rf', '/')" }),
  ...found('file other', 'mage: ./magefile.go|Magefile.go', {
    text: 'func X() { exec.Command("rm", "-rf", "/").Run() }',
  }),
  ...found(
    'file lua',
    `premake5 premake4: ./premake5.lua|premake4.lua
    xmake: ./xmake.lua
    busted luarocks: ./.busted|spec/init.lua`,
  ),
  ...found('file perl', 'prove cpanm perl dzil: ./Makefile.PL|Build.PL'),
  ...found(
    'file shell',
    `direnv: allow|reload|exec|permit|grant|export ./.envrc
    redo redo-ifchange: ./all.do|default.do
    husky: ./.husky/pre-commit|.husky/pre-push|.husky/commit-msg
    git: commit|merge|am|cherry-pick|revert|rebase ./.husky/pre-commit
    git: push ./.husky/pre-push`,
  ),
  ...found(
    'file unknown',
    'mise: run|r ./mise-tasks/{}|.mise/tasks/{}|.config/mise/tasks/{} $ mise run go # mise-tasks/go',
  ),
  ...found('file unknown', HOOKS),

  // Files in notations of their own.
  ...found('npm-task', 'run-s npm-run-all run-p npm-run-all2: + $ run-s x # package.json', {
    values: '-l -n --max-parallel',
  }),
  ...found(
    'file git-settings',
    `git: !${GIT_OWN} ./.git/config $ git zap
    git: !${GIT_OWN} ./~/.gitconfig $ git zap
    git: !${GIT_OWN} ./~/.config/git/config $ git zap`,
    GIT,
  ),
  ...found(
    'file sql-client',
    `psql mysql mariadb sqlite3 sqlite duckdb litecli pgcli mycli usql: < \
    $ sqlite3 x.db < q.sql # q.sql`,
  ),
  ...found('file sql-client', 'psql pgcli: -f $ psql -f q.sql # q.sql', { text: '\\\\! rm -rf /' }),
  ...found('file m4', 'autoreconf autoconf automake aclocal autoheader: ./configure.{ac,in}'),
  ...found('file ninja', 'ninja samu n2: ./build.ninja'),
  ...found('file ini', 'tox: ./tox.ini|setup.cfg'),
  ...found('file pyproject-tox', 'tox: ./pyproject.toml'),
  ...found(
    'file pre-commit',
    `pre-commit prek: !install|uninstall|autoupdate|clean|gc|sample-config|validate-config|install-hooks \
      ./.pre-commit-config.{yaml,yml} $ pre-commit run -a`,
  ),
  ...found('file hooks', 'lefthook: run ./lefthook.yml|.lefthook.yml|lefthook.yaml $ lefthook run pre-commit'),
  ...found('file lint-staged', 'lint-staged: ./.lintstagedrc|.lintstagedrc.{json,yml,yaml}'),
  ...found('file package-lint-staged', 'lint-staged: ./package.json'),
  ...found(
    'file compose',
    `docker podman nerdctl: compose up|run|create|start|restart|watch \
      ./compose.{yaml,yml}|docker-compose.{yml,yaml} $ docker compose up # compose.yml
    docker-compose podman-compose: up|run|create|start|restart|watch \
      ./compose.{yaml,yml}|docker-compose.{yml,yaml} $ docker-compose up # compose.yml`,
    { text: 'services:\n  a:\n    volumes: ["/:/h"]\n    command: rm -rf /h' },
  ),
  ...found('file logrotate', 'logrotate: + $ logrotate -f x.conf # x.conf', {
    values: '-s --state -l --log -m --mail',
    text: '/srv/a {\nprerotate\nrm -rf /\nendscript\n}',
  }),
  ...found('file nix', 'nix-shell: + $ nix-shell x.nix # x.nix', {
    values: '--run --command -p --packages -A --attr -I --arg --argstr -E --expr',
    text: '{ shellHook = "rm -rf /"; }',
  }),
  ...found('file ansible', 'ansible-playbook ansible-pull: + $ ansible-playbook p.yml # p.yml'),
  ...found('file terraform', 'terraform tofu terragrunt: apply|destroy|plan|refresh|import|test ./*.tf # main.tf'),
  ...found('file terraform', 'packer: build ./*.pkr.hcl # a.pkr.hcl', {
    text: 'provisioner "shell-local" { inline = ["rm -rf /"] }',
  }),
  ...found(
    'file cmake',
    `cmake: -P $ cmake -P x.cmake # x.cmake
    cmake ctest cpack: ./CMakeLists.txt $ cmake -B b`,
  ),
  ...found('file ant', 'ant: ./build.xml'),
  ...found('file ant', 'mvn mvnw mvnd: ./pom.xml $ mvn compile', { text: '<target><delete dir="/"/></target>' }),
  ...found(
    'file bazel',
    'bazel bazelisk buck buck2 please plz pants: build|run|test ./BUILD.bazel|BUILD|BUCK $ bazel build //... # BUILD',
  ),
  ...found('file cargo-config', 'cargo: build|run|test|check|bench|clippy ./.cargo/config.toml|.cargo/config'),
  ...found(
    'file cargo-make',
    `cargo: make ./Makefile.toml $ cargo make x
    makers: ./Makefile.toml $ makers x`,
  ),
  ...found('file go-generate', 'go: generate ./**/*.go $ go generate ./... # main.go'),
  ...found('file deno-tasks', 'deno: task ./deno.{json,jsonc} $ deno task x'),
  ...found(
    'file composer-scripts',
    `composer: run-script|run ./composer.json $ composer run x
    composer: !install|require|update|show|remove|init|validate|run|run-script|exec|diagnose|search|global|why|audit|\
      outdated ./composer.json $ composer x`,
  ),
  ...found('file poe-tasks', 'poe poethepoet: ./pyproject.toml $ poe x'),
  ...found('file taskipy', 'task taskipy: ./pyproject.toml $ task x'),
  ...found('file pdm-scripts', 'pdm: run ./pyproject.toml $ pdm run x'),
  ...found('file hatch-scripts', 'hatch: run ./pyproject.toml $ hatch run x'),
  ...found('file pipenv-scripts', 'pipenv: run ./Pipfile $ pipenv run x'),
  ...found(
    'file nx-project',
    `nx: run|run-many|affected ./project.json $ nx run x
    nx: !run|run-many|affected|graph|format|list ./project.json $ nx x app`,
  ),
  ...found('file devcontainer', 'devcontainer: up|build ./.devcontainer/devcontainer.json|.devcontainer.json'),
  ...found('file app-command', 'cdk: ./cdk.json $ cdk synth'),
  ...found('file goreleaser', 'goreleaser: build|release|check ./.goreleaser.{yml,yaml}|goreleaser.yml'),
  ...found('file moon', 'moon: run ./moon.yml $ moon run x'),
  ...found(
    'file panes',
    'tmuxinator tmuxp teamocil smug laio tmass: ./.tmuxinator.yml|.tmuxp.{yaml,yml}|.smug.yml $ tmuxinator local',
  ),
  ...found('file panes', 'tmuxp: load . $ tmuxp load a.yaml # a.yaml', { text: 'windows:\n- panes:\n  - rm -rf /' }),
  ...found('file processes', 'process-compose mprocs: ./process-compose.{yaml,yml}|mprocs.yaml $ process-compose up'),
  ...found('file processes', 'mprocs: ./mprocs.yml', {
    text: 'procs:\n  a:\n    shell: rm -rf /\nprocesses:\n  a:\n    shell: rm -rf /',
  }),
  ...found('file stages', 'dvc: repro|exp ./dvc.yaml'),
  ...found('file stages', 'skaffold: ./skaffold.yaml $ skaffold dev', {
    text: 'deploy:\n  hooks:\n    before:\n      - host:\n          command: ["rm", "-rf", "/"]',
  }),
  ...found('file earthfile', 'earthly earth: ./Earthfile $ earthly +a'),
  ...found('file tilt', 'tilt: up|ci ./Tiltfile'),
  ...found('file snakefile', 'snakemake: ./Snakefile|workflow/Snakefile'),
  ...found('file nextflow', 'nextflow: run . $ nextflow run main.nf # main.nf'),
  ...found('file modd', 'modd: ./modd.conf'),
  ...found('file workflow', 'gitlab-ci-local gitlab-runner: ./.gitlab-ci.yml'),
  ...found('file package-hooks', 'git: commit|push ./package.json'),
]

/** Options with a value, for runners without settings of their own. */
const VALUES = '-C -c -f -P -S -B -G -D -p --file --config'

/** Runners whose commands are in files of the project, which are read for them. */
export const PROJECT_RUNNERS: readonly RunnerRow[] = [
  ...BY_OPTION,
  ...PROJECT_ROWS.map(([names, runs, place, command, file, text, reading]): RunnerRow => ({
    files: { [file]: text },
    sample: command,
    values: VALUES,
    ...reading,
    names,
    lines: [[runs, place]],
    unless: ['--version', '--help'],
    examples: [],
  })),
]
