/** A workflow file as projects have them. */
export interface WorkflowFixture {
  readonly name: string
  /** Below the workspace. */
  readonly path: string
  readonly content: string
}

const github = (name: string, steps: string, head = 'on: [push, pull_request]\n'): WorkflowFixture => ({
  name,
  path: `.github/workflows/${name.replaceAll(' ', '-')}.yml`,
  content: `name: ${name}\n${head}jobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n${steps.replace(/^(?=.)/gm, '      ')}`,
})

/** Workflows without harm: what continuous integration does all day. */
export const BENIGN_WORKFLOWS: readonly WorkflowFixture[] = [
  github(
    'node',
    `- uses: actions/setup-node@v4\n  with:\n    node-version: 24\n    cache: npm\n- run: npm ci\n- run: npm run build --if-present\n- run: npm test -- --coverage\n`,
  ),
  github(
    'npm publish',
    `- uses: actions/setup-node@v4\n  with:\n    registry-url: https://packages.firm.example\n- run: npm ci\n- run: npm publish --provenance --access public\n  env:\n    NODE_AUTH_TOKEN: \${{ secrets.NPM_TOKEN }}\n`,
    'on:\n  release:\n    types: [published]\npermissions:\n  id-token: write\n',
  ),
  github(
    'npm login by hand',
    `- run: |\n    echo "//packages.firm.example/:_authToken=\${{ secrets.NPM_TOKEN }}" > ~/.npmrc\n    npm publish\n`,
  ),
  github(
    'python',
    `- uses: actions/setup-python@v5\n  with:\n    python-version: "3.12"\n- run: |\n    python -m pip install --upgrade pip\n    pip install -r requirements.txt\n    pip install pytest flake8\n- run: flake8 . --count --select=E9,F63 --show-source\n- run: pytest --cov=app\n`,
  ),
  github(
    'poetry',
    `- run: curl -sSL https://install.python-poetry.org | python3 -\n- run: echo "$HOME/.local/bin" >> $GITHUB_PATH\n- run: poetry install --no-interaction\n- run: poetry run pytest\n`,
  ),
  github(
    'uv',
    `- run: curl -LsSf https://astral.sh/uv/install.sh | sh\n- run: uv sync --locked\n- run: uv run pytest\n`,
  ),
  github(
    'rust',
    `- run: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --default-toolchain stable\n- run: |\n    source "$HOME/.cargo/env"\n    cargo fmt --all -- --check\n    cargo clippy -- -D warnings\n    cargo test --workspace\n`,
  ),
  github(
    'go',
    `- uses: actions/setup-go@v5\n- run: curl -sSfL https://raw.githubusercontent.com/golangci/golangci-lint/HEAD/install.sh | sh -s -- -b $(go env GOPATH)/bin v1.60.1\n- run: golangci-lint run\n- run: go test -race -coverprofile=c.out ./...\n`,
  ),
  github(
    'codecov',
    `- run: make coverage\n- run: bash <(curl -s https://codecov.io/bash)\n  env:\n    CODECOV_TOKEN: \${{ secrets.CODECOV_TOKEN }}\n`,
  ),
  github(
    'codecov uploader',
    `- run: |\n    curl -Os https://uploader.codecov.io/latest/linux/codecov\n    chmod +x codecov\n    ./codecov -t \${{ secrets.CODECOV_TOKEN }}\n`,
  ),
  github(
    'docker',
    `- uses: docker/login-action@v3\n  with:\n    registry: ghcr.io\n    username: \${{ github.actor }}\n    password: \${{ secrets.GITHUB_TOKEN }}\n- run: docker build -t ghcr.io/\${{ github.repository }}:\${{ github.sha }} .\n- run: docker push ghcr.io/\${{ github.repository }}:\${{ github.sha }}\n`,
  ),
  github(
    'docker login by hand',
    `- run: echo "\${{ secrets.DOCKER_PASSWORD }}" | docker login -u "\${{ secrets.DOCKER_USERNAME }}" --password-stdin\n- run: |\n    docker buildx build --platform linux/amd64,linux/arm64 -t acme/web:latest --push .\n`,
  ),
  github(
    'free disk space',
    `- run: |\n    sudo rm -rf /usr/share/dotnet /usr/local/lib/android /opt/ghc /opt/hostedtoolcache/CodeQL\n    sudo docker image prune --all --force\n    df -h\n- run: make release\n`,
  ),
  github(
    'slack',
    `- run: make test\n- if: failure()\n  env:\n    SLACK_WEBHOOK_URL: \${{ secrets.SLACK_WEBHOOK_URL }}\n  run: |\n    curl -X POST -H 'Content-type: application/json' --data '{"text":"build failed"}' "$SLACK_WEBHOOK_URL"\n`,
  ),
  github(
    'slack by token',
    `- run: |\n    curl -sS -X POST https://slack.com/api/chat.postMessage -H "Authorization: Bearer \${{ secrets.SLACK_BOT_TOKEN }}" -d channel=builds -d text=done\n`,
  ),
  github(
    'github api',
    `- run: |\n    curl -s -H "Authorization: Bearer \${{ secrets.GITHUB_TOKEN }}" https://api.github.com/repos/\${{ github.repository }}/pulls | jq '.[].number'\n- env:\n    GH_TOKEN: \${{ github.token }}\n  run: gh pr comment \${{ github.event.number }} --body "Preview is ready"\n`,
  ),
  github(
    'deploy hook',
    `- run: curl -fsS -X POST -H "Authorization: Bearer $DEPLOY_TOKEN" https://deploy.acme.example/hooks/web\n  env:\n    DEPLOY_TOKEN: \${{ secrets.DEPLOY_TOKEN }}\n`,
  ),
  github(
    'deploy by ssh',
    `- env:\n    SSH_KEY: \${{ secrets.SSH_KEY }}\n  run: |\n    mkdir -p ~/.ssh && echo "$SSH_KEY" > ~/.ssh/id_ed25519 && chmod 600 ~/.ssh/id_ed25519\n    ssh-keyscan -H web.acme.example >> ~/.ssh/known_hosts\n    rsync -az --delete dist/ deploy@web.acme.example:/srv/www/\n    ssh deploy@web.acme.example 'sudo systemctl reload nginx'\n`,
  ),
  github(
    'aws',
    `- uses: aws-actions/configure-aws-credentials@v4\n  with:\n    role-to-assume: arn:aws:iam::123456789012:role/deploy\n    aws-region: eu-central-1\n- run: aws s3 sync dist s3://acme-web --delete\n- run: aws cloudfront create-invalidation --distribution-id \${{ secrets.CF_ID }} --paths '/*'\n`,
  ),
  github(
    'terraform',
    `- run: |\n    curl -fsSL https://apt.releases.hashicorp.com/gpg | sudo gpg --dearmor -o /usr/share/keyrings/hashicorp.gpg\n    sudo apt-get update && sudo apt-get install -y terraform\n- run: terraform init -input=false\n- run: terraform plan -out=plan.tfplan\n- if: github.ref == 'refs/heads/main'\n  run: terraform apply -auto-approve plan.tfplan\n`,
  ),
  github(
    'kubernetes',
    `- run: |\n    curl -LO "https://dl.k8s.io/release/v1.31.0/bin/linux/amd64/kubectl"\n    chmod +x kubectl && sudo mv kubectl /usr/local/bin/\n- run: |\n    mkdir -p ~/.kube && echo "\${{ secrets.KUBECONFIG }}" | base64 -d > ~/.kube/config\n    kubectl apply -f k8s/\n    kubectl rollout status deployment/web\n`,
  ),
  github(
    'helm',
    `- run: curl https://raw.githubusercontent.com/helm/helm/main/scripts/get-helm-3 | bash\n- run: helm upgrade --install web ./chart --set image.tag=\${{ github.sha }}\n`,
  ),
  github(
    'hugo',
    `- run: |\n    wget -O hugo.deb https://github.com/gohugoio/hugo/releases/download/v0.128.0/hugo_extended_0.128.0_linux-amd64.deb\n    sudo dpkg -i hugo.deb\n- run: hugo --minify\n- uses: actions/upload-pages-artifact@v3\n`,
  ),
  github(
    'a tool of a release',
    `- run: |\n    curl -sSL https://github.com/mikefarah/yq/releases/download/v4.44.2/yq_linux_amd64 -o yq\n    chmod +x yq\n    ./yq '.version' chart.yaml\n`,
  ),
  github(
    'playwright',
    `- run: npm ci\n- run: npx playwright install --with-deps\n- run: npx playwright test\n- uses: actions/upload-artifact@v4\n  if: always()\n  with:\n    name: report\n    path: playwright-report\n`,
  ),
  github(
    'services',
    `- run: npm run db:migrate\n  env:\n    DATABASE_URL: postgres://postgres:postgres@localhost:5432/test\n- run: curl --retry 10 --retry-connrefused http://localhost:3000/health\n- run: npm test\n`,
  ),
  github(
    'release by script',
    `- uses: actions/github-script@v7\n  with:\n    script: |\n      const { data } = await github.rest.repos.getLatestRelease({ owner: context.repo.owner, repo: context.repo.repo })\n      core.setOutput('tag', data.tag_name)\n- run: git tag v1.2.3 && git push origin v1.2.3\n`,
  ),
  github(
    'push of pages',
    `- run: npm run docs\n- run: |\n    git config user.name ci\n    git config user.email ci@acme.example\n    git remote set-url origin https://x-access-token:\${{ secrets.GITHUB_TOKEN }}@github.com/\${{ github.repository }}.git\n    git checkout --orphan gh-pages && git add -f dist && git commit -m docs\n    git push --force origin gh-pages\n`,
  ),
  github(
    'matrix with windows',
    `- shell: pwsh\n  run: |\n    choco install -y cmake\n    Invoke-WebRequest https://dot.net/v1/dotnet-install.ps1 -OutFile dotnet-install.ps1\n- shell: cmd\n  run: cmake -S . -B build && cmake --build build\n- shell: bash\n  run: ctest --test-dir build\n`,
  ),
  github(
    'python inline',
    `- shell: python\n  run: |\n    import json, os, pathlib\n    data = json.loads(pathlib.Path('package.json').read_text())\n    with open(os.environ['GITHUB_OUTPUT'], 'a') as out:\n        out.write(f"version={data['version']}")\n`,
  ),
  github(
    'debug',
    `- run: |\n    env | sort\n    cat /etc/os-release\n    echo "\${{ toJSON(github) }}"\n- run: make test\n`,
  ),
  github(
    'snyk and sonar',
    `- run: |\n    curl -Lo snyk https://static.snyk.io/cli/latest/snyk-linux\n    chmod +x snyk && ./snyk test\n  env:\n    SNYK_TOKEN: \${{ secrets.SNYK_TOKEN }}\n- run: npx sonar-scanner -Dsonar.host.url=https://sonarcloud.io -Dsonar.token=\${{ secrets.SONAR_TOKEN }}\n`,
  ),
  {
    name: 'gitlab',
    path: '.gitlab-ci.yml',
    content: `image: node:24\nstages: [test, deploy]\ncache:\n  paths: [node_modules/]\nvariables:\n  NODE_ENV: test\nbefore_script:\n  - npm ci\ntest:\n  stage: test\n  script:\n    - npm run lint\n    - npm test\ndeploy:\n  stage: deploy\n  rules:\n    - if: $CI_COMMIT_BRANCH == "main"\n  script:\n    - docker login -u "$CI_REGISTRY_USER" -p "$CI_REGISTRY_PASSWORD" $CI_REGISTRY\n    - docker build -t $CI_REGISTRY_IMAGE .\n    - docker push $CI_REGISTRY_IMAGE\n    - 'curl --header "JOB-TOKEN: $CI_JOB_TOKEN" --upload-file dist.tgz "\${CI_API_V4_URL}/projects/\${CI_PROJECT_ID}/packages/generic/web/1/dist.tgz"'\n`,
  },
  {
    name: 'gitlab release',
    path: '.gitlab-ci.yml',
    content: `release:\n  image: registry.gitlab.com/gitlab-org/release-cli\n  script:\n    - 'curl --request POST --header "PRIVATE-TOKEN: $GITLAB_TOKEN" "https://gitlab.com/api/v4/projects/1/releases" --data "name=v1"'\n`,
  },
  {
    name: 'circleci',
    path: '.circleci/config.yml',
    content: `version: 2.1\norbs:\n  node: circleci/node@5\njobs:\n  build:\n    docker:\n      - image: cimg/node:24.0\n        environment:\n          NODE_ENV: test\n    steps:\n      - checkout\n      - restore_cache:\n          keys: [v1-{{ checksum "package-lock.json" }}]\n      - run: npm ci\n      - run:\n          name: Test\n          command: npm test\n      - run:\n          name: Wait\n          command: |\n            for i in $(seq 1 30); do curl -sf http://localhost:8080 && break; sleep 1; done\n      - store_test_results:\n          path: reports\n`,
  },
  {
    name: 'azure',
    path: 'azure-pipelines.yml',
    content: `trigger: [main]\npool:\n  vmImage: ubuntu-latest\nsteps:\n  - task: NodeTool@0\n    inputs:\n      versionSpec: '24.x'\n  - script: |\n      npm ci\n      npm run build -- --configuration $(buildConfiguration)\n    displayName: build\n  - bash: curl -sL https://aka.ms/InstallAzureCLIDeb | sudo bash\n  - pwsh: Write-Host "##vso[task.setvariable variable=tag]$(Build.BuildId)"\n  - task: PublishBuildArtifacts@1\n    inputs:\n      PathtoPublish: $(Build.ArtifactStagingDirectory)\n`,
  },
  {
    name: 'bitbucket',
    path: 'bitbucket-pipelines.yml',
    content: `image: maven:3\npipelines:\n  default:\n    - step:\n        caches: [maven]\n        script:\n          - mvn -B verify\n          - pipe: atlassian/slack-notify:2.1.0\n            variables:\n              WEBHOOK_URL: $SLACK_WEBHOOK\n              MESSAGE: done\n`,
  },
  {
    name: 'travis',
    path: '.travis.yml',
    content: `language: ruby\nrvm: [3.3]\nbefore_install: gem install bundler\nscript:\n  - bundle exec rake\nafter_success:\n  - bash <(curl -s https://codecov.io/bash)\n`,
  },
  {
    name: 'jenkins',
    path: 'Jenkinsfile',
    content: `pipeline {\n  agent any\n  stages {\n    stage('Build') { steps { sh './gradlew build' } }\n    stage('Deploy') {\n      steps {\n        withCredentials([string(credentialsId: 'token', variable: 'TOKEN')]) {\n          sh '''\n            curl -fsS -H "Authorization: Bearer $TOKEN" -X POST https://deploy.acme.example/api/release\n          '''\n        }\n      }\n    }\n  }\n}\n`,
  },
  {
    name: 'composite action',
    path: '.github/actions/setup/action.yml',
    content: `name: setup\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: |\n        curl -fsSL https://get.pnpm.io/install.sh | sh -\n        pnpm install --frozen-lockfile\n`,
  },
]
