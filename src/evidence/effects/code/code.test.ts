import { describe, expect, test } from 'vitest'
import { effectsOf } from '../fixture.ts'

const python = (code: string): string => `python3 -c "${code}"`
const node = (code: string): string => `node -e "${code}"`

/** Deletions of system files, one by one, from a list. */
const LISTS = [
  node("const fs=require('fs'); fs.readdirSync('/etc').forEach(f => fs.unlinkSync('/etc/' + f))"),
  node(
    "const fs=require('fs'),p=require('path'); fs.readdirSync('/etc').forEach((f) => { fs.rmSync(p.join('/etc', f)) })",
  ),
  node("const fs=require('fs'); fs.readdirSync('/etc').forEach(async function (f) { fs.rmSync('/etc/' + f) })"),
  node("const fs=require('fs'); for (const f of fs.readdirSync('/usr/lib')) fs.rmSync('/usr/lib/'+f)"),
  node("const fs=require('fs'); process.chdir('/etc'); fs.readdirSync('.').forEach(fs.unlinkSync)"),
  node("['/etc/passwd','b'].forEach(f => require('fs').unlinkSync(f))"),
  `deno eval "for (const f of Deno.readDirSync('/etc')) Deno.removeSync('/etc/'+f.name)"`,
  python("import os\nfor f in os.listdir('/etc'): os.remove('/etc/'+f)"),
  python("import os; list(map(os.remove, os.listdir('/etc')))"),
  python("import os, shutil; os.chdir('/'); shutil.rmtree('etc')"),
  python("import pathlib; [p.unlink() for p in pathlib.Path('/etc').iterdir()]"),
  `ruby -e "Dir.glob('/etc/*').each { |f| File.delete(f) }"`,
  `ruby -e "Dir['/etc/*'].each do |f| File.delete(f) end"`,
  `perl -e 'unlink glob "/etc/*"'`,
  `perl -e 'foreach my $f (glob("/etc/*")) { unlink $f }'`,
  `php -r 'array_map("unlink", glob("/etc/*"));'`,
  `php -r 'foreach (glob("/etc/*") as $f) { unlink($f); }'`,
]

const BENIGN = [
  node("const fs=require('fs'); fs.readdirSync('dist').forEach(f => fs.unlinkSync('dist/' + f))"),
  node("const fs=require('fs'); fs.readdirSync('/etc').forEach(f => console.log(f))"),
  node("['a','b'].forEach(f => require('fs').unlinkSync(f))"),
  python("import glob, os; [os.remove(f) for f in glob.glob('*.pyc')]"),
  python("print('a/b'.replace('/', '.'))"),
]

const deletesSystem = (command: string): boolean =>
  effectsOf(command).some((one) => one.startsWith('fs.delete') && /@(?:\S*,)?system/.test(one))

describe('what is done to each element of a list', () => {
  test.each(LISTS)('%s deletes system files', (command) => {
    expect(effectsOf(command)).toSatisfy(() => deletesSystem(command))
  })
  test.each(BENIGN)('%s does not', (command) => {
    expect(effectsOf(command)).toSatisfy(() => !deletesSystem(command))
  })
})
