import type { ServiceRow } from './service.ts'

/** Programs of build and delivery services, and of feature flags. */
export const CONTINUOUS_INTEGRATION: readonly ServiceRow[] = [
  {
    names: ['circleci'],
    values: ['--org-id', '--token', '--host'],
    lines: [
      ['destroy', 'orb unlist'],
      ['keep', 'context store-secret, runner token create'],
      [
        'change',
        `context create|restrict, orb publish|create, namespace create|rename, policy push|settings, follow, trigger`,
      ],
    ],
    examples: [
      ['circleci context delete gh o c', 'cloud.destroy+all'],
      ['circleci context store-secret github acme TOKEN', 'secret.write'],
      ['circleci namespace delete n', 'cloud.destroy+all'],
      ['circleci config validate'],
    ],
  },
  {
    names: ['gitlab-runner'],
    values: ['--name', '--token', '--url', '-n', '-t', '-u'],
    lines: [
      ['destroy-all', 'unregister --all-runners'],
      ['destroy', 'unregister, uninstall, verify --delete, reset-token'],
      ['change', 'register|install|start|stop|restart'],
    ],
    examples: [
      ['gitlab-runner unregister --name x', 'cloud.destroy'],
      ['gitlab-runner unregister --all-runners', 'cloud.destroy+all'],
      ['gitlab-runner list'],
    ],
  },
  {
    names: ['jenkins-cli', 'jenkins-cli.jar'],
    values: ['-s', '-auth', '-i', '-user'],
    dash: 'single',
    lines: [
      [
        'change',
        `shutdown|safe-shutdown|restart|safe-restart|quiet-down|disable-job|offline-node|disconnect-node|remove-job-from-view`,
      ],
      ['keep', 'create-credentials-by-xml|update-credentials-by-xml|import-credentials-as-xml'],
      [
        'change',
        `build|create-job|update-job|copy-job|create-node|install-plugin|groovy|groovysh|reload-configuration`,
      ],
    ],
    examples: [
      ['jenkins-cli -s http://j.example delete-job a', 'cloud.destroy+all'],
      ['jenkins-cli -s http://j.example safe-restart', 'cloud.change'],
      ['jenkins-cli list-jobs'],
    ],
  },
  {
    names: ['travis', 'buildkite', 'bk', 'drone', 'woodpecker-cli', 'appveyor'],
    lines: [
      ['destroy', 'cache --delete|-d, secret|repo|cron|orgsecret rm'],
      ['keep', 'encrypt|env set, secret add|create|update'],
      ['change', 'restart|cancel|enable|disable|trigger'],
    ],
    examples: [['drone secret rm --name a', 'cloud.destroy'], ['travis logs']],
  },
  {
    names: ['ldcli', 'launchdarkly', 'flagsmith', 'unleash'],
    values: ['--flag', '--project', '--environment', '--access-token'],
    lines: [
      ['destroy', 'flags archive'],
      ['change', 'flags|segments toggle-on|toggle-off|update|create, projects|environments create|update'],
    ],
    examples: [
      ['ldcli flags delete --flag a', 'cloud.destroy+all'],
      ['ldcli projects delete p', 'cloud.destroy+all'],
      ['ldcli flags toggle-on --flag a', 'cloud.change'],
      ['ldcli flags list'],
    ],
  },
]
