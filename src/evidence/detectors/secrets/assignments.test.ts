import { fake } from '../../../../test/support/fake.ts'
import { testRules } from '../../../../test/support/secret-samples.ts'
import { ASSIGNMENT_RULES } from './assignments.ts'

const word = ['c0rrect', 'Horse!'].join('')
const key = fake('', 32, 'lower', 5)

testRules('assignments', ASSIGNMENT_RULES, {
  password: {
    found: [
      ['password = "', word, '"'],
      ["'password': '", word, "',"],
      ['{"db":{"password":"', word, '"}}'],
      ['{\\"password\\":\\"', word, '\\"}'],
      ['{"password": "', word, ''],
      ['DB_PASSWORD=', word, '\n'],
      ['db_password: ', word, '\n'],
      ['Server=db;User Id=sa;Password=', 'Zx9wq7Lm2', ';Encrypt=true'],
      ['<password>', word, '</password>'],
      ['const password: string = `', word, '`'],
      ['setPassword("', word, '")'],
      ['os.environ.get("DB_PASSWORD", "', word, '")'],
      ['my password is ', word, ' please log in'],
      ['"password": "', 'pa\\"ss9\\u0041Z', '"'],
    ],
    clean: [
      'password = "password"',
      'password: "changeme"',
      'PASSWORD=${DB_PASSWORD}',
      'password = process.env.DB_PASSWORD',
      'password: string',
      'password=args.password2',
      'const password = await readPassword(1)',
      '"password": "Enter your password"',
      'password: "********"',
      'password=[masked:password]',
      '[masked:password]=Zx9wq7Lm2pQ',
      'password="[masked:password]"',
      'compass: "north-west-42x"'.replace('north', 'my_dir/north'),
      'hash password = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"',
      'password_field = "user_password_2"',
      'password = "<your-password>"',
      'password: {{ .Values.password }}',
      'password = "%s"',
      'assert password == "test1234"',
    ],
  },
  secret: {
    found: [
      ['api_key = "', key, '"'],
      ['API_KEY=', key, '\n'],
      ['"clientSecret": "', key, '"'],
      ['secretKeyBase: ', fake('', 64, 'hex'), '\n'],
      ['X-Api-Key: ', key, ''],
      ['apikey: ', 'c4ed6c21-9dd5-4a05-8e3f-c56d1151cce8', ''],
      ['https://x/y?access_token=', key, '&z=1'],
      ['<add key="ApiKey" value="', key, '"/>'],
      ['{"auth_token":"', fake('', 24), '"}'],
    ],
    clean: [
      'api_key = "your-api-key-1"',
      'token = get_token(user_id1)',
      'token: string',
      'max_tokens = 4096000000',
      'next_page_token = "CAUQAA9f3kd92kdk20dkDKEk3k"'.replace('next_page', 'page'),
      'csrf-token=Mj2qykJO5rELyHgezQ69nzUX0i3OH67V7',
      'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
      'token: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"',
      'LLM_SECRET_NAME = "NEXUS-GPT4-API-KEY"',
      'secret_length = X25519.secret_length',
      'access_key = sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-v12")',
      'secret: "arn:aws:secretsmanager:eu-west-1:1:secret/prod"',
      'token=token=token=token=',
      'api_key: [masked:secret]',
      'credentialsId: "29f63271-dc2f-4734-8221-5b31b5169bac"',
      "access_token_url='https://github.com/login/oauth/access_token'",
    ],
  },
  'secret-flag': {
    found: [
      ['deploy --token ', key, ' --yes'],
      ['mysql --password ', 'Zx9wq7Lm2pQ', ' -h db'],
      ['tool --api-key "', key, '"'],
    ],
    clean: ['deploy --token "$TOKEN"', 'deploy --token my-token-1', 'git credential fill', '--password stdin'],
  },
})
