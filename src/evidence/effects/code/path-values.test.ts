import { expect, test } from 'vitest'
import { effectNotation } from '../effect-notation.fixture.ts'
import { analyseWith } from '../fixture.ts'

/** Zones of what a file of the project, or the code in a call, deletes. */
const deletedBy = (command: string, file: string, text: string): string =>
  analyseWith(command, { [file]: text })
    .effects.map(effectNotation)
    .filter((one) => one.startsWith('fs.delete'))
    .map((one) => one.replace(/^.*@/, ''))
    .join()

const JS = "import { rmSync } from 'node:fs'\nimport path from 'node:path'\n"
const PY = 'import os, shutil\nfrom pathlib import Path\n'

test.each([
  ['node s/x.mjs', 's/x.mjs', `${JS}rmSync(new URL('../dist', import.meta.url))`, 'workspace'],
  ['node s/x.mjs', 's/x.mjs', `${JS}rmSync(new URL('../../../', import.meta.url))`, 'system'],
  ['node s/x.mjs', 's/x.mjs', `${JS}rmSync(fileURLToPath(new URL('../dist', import.meta.url)))`, 'workspace'],
  ['node s/x.js', 's/x.js', `${JS}rmSync(path.join(__dirname, '..', 'dist'))`, 'workspace'],
  ['node s/x.js', 's/x.js', `${JS}rmSync(path.resolve(__dirname, '../..'))`, 'home'],
  ['node s/x.mjs', 's/x.mjs', `${JS}rmSync(import.meta.dirname)`, 'workspace'],
  [
    'python3 s/x.py',
    's/x.py',
    `${PY}ROOT = Path(__file__).resolve().parent.parent\nshutil.rmtree(ROOT / 'b')`,
    'workspace',
  ],
  ['python3 s/x.py', 's/x.py', `${PY}ROOT = Path(__file__)\nshutil.rmtree(ROOT.parent.parent.parent)`, 'home'],
  ['python3 s/x.py', 's/x.py', `${PY}shutil.rmtree(Path(__file__).parents[2])`, 'home'],
  [
    'python3 s/x.py',
    's/x.py',
    `${PY}shutil.rmtree(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))`,
    'home',
  ],
  ['python3 -m x', 'x.py', `${PY}target='/home/user'\nshutil.rmtree(target)`, 'home'],
  ['ruby x.rb', 'x.rb', "require 'fileutils'\nhome=ENV['HOME']\nFileUtils.rm_rf(\"#{home}/x\")", 'home-file'],
  ['ruby x.rb', 'x.rb', "home=ENV['HOME']\n`rm -rf #{home}`", 'home'],
  ['perl x.pl', 'x.pl', 'my $home=$ENV{HOME};\nsystem("rm -rf $home");', 'home'],
  ['perl x.pl', 'x.pl', 'system("rm -rf $ENV{HOME}/x");', 'home-file'],
  ['php x.php', 'x.php', '<?php\n$home=getenv("HOME");\nexec("rm -rf {$home}");', 'home'],
  ['python3 x.py', 'x.py', 'import os\nd="/etc"\nos.system(f"rm -rf {d!s:>3}/{{a}}")', 'system'],
  ['python3 x.py', 'x.py', 'import os\nd="out"\nos.system(f"rm -rf {d}")', 'workspace'],
  ['node x.js', 'x.js', "const d='dist'\nrequire('child_process').execSync(`rm -rf ${d}/js`)", 'workspace'],
  ['node x.js', 'x.js', "const h=`${process.env.HOME}`\nrequire('child_process').execSync(`rm -rf ${h}`)", 'home'],
  [`python3 -c "import shutil,tempfile;d=tempfile.mkdtemp(prefix='x');shutil.rmtree(d)"`, 'x', '', 'temp'],
  [`python3 -c "import shutil,tempfile;d=tempfile.mkdtemp(dir='/etc/a');shutil.rmtree(d)"`, 'x', '', 'system'],
  [
    `python3 -c "import shutil,tempfile,sys;d=tempfile.mkdtemp(dir=sys.argv[1]);shutil.rmtree(d)"`,
    'x',
    '',
    'unresolved',
  ],
  [`python3 -c "import shutil,os;shutil.rmtree(os.path.join(os.getcwd(),'build'))"`, 'x', '', 'workspace'],
  [`node -e "fs.rmSync(fs.mkdtempSync(path.join(os.tmpdir(),'x-')))"`, 'x', '', 'temp'],
  [`node -e "fs.rmSync(os.tmpdir()+'/../etc')"`, 'x', '', 'system'],
])('%s %s: %s', (command, file, text, zone) => {
  expect(deletedBy(command, file, text)).toBe(zone)
})
