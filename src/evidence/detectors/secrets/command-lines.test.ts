import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { COMMAND_LINE_RULES } from './command-lines.ts'

const word = ['Tr0ub4', 'dor3'].join('')
const key = fake('', 30)

testRules('command lines', COMMAND_LINE_RULES, {
  'command-password': {
    found: [
      ['mysql -u root '.concat('-p'), word, ' -h db shop'],
      ['mysqldump -h db -uroot '.concat('-p"'), word, '" shop > x.sql'],
      ['sshpass '.concat('-p '), word, ' ssh deploy@host'],
      ['sshpass '.concat("-p '"), `${word} $`, "' ssh deploy@host"],
    ],
    clean: [
      'mysql -u root -p shop',
      'mysql -u root -ppassword',
      'mysql -u root -p"$PASSWORD"',
      'docker run -e X=mysql -p3306:3306 mysql',
      'mysql -u root && ssh -p2222 host',
      'sshpass -p "$PASS" ssh x',
      'sshpass -p password ssh x',
    ],
  },
  'stored-secret': {
    found: [
      ['gh secret set TOKEN --body "', key, '"'],
      ['aws ssm put-parameter --name /x --type SecureString --value ', key, ' --overwrite'],
      ["aws secretsmanager create-secret --name x --secret-string '", key, "'"],
      ['az keyvault secret set --vault-name v --name n --value ', key, ''],
    ],
    clean: [
      'gh secret set TOKEN --body "$TOKEN"',
      'gh secret set TOKEN < file',
      'aws ssm put-parameter --name /x --type String --value production',
      'aws secretsmanager create-secret --name x --secret-string file://x.json',
    ],
  },
})
