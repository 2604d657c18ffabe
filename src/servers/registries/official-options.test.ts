import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fill, missing, type ServerDraft } from '../draft/draft.ts';
import { installOptions } from './official-options.ts';
import { readServer } from './official-schema.ts';
import type { InstallOption } from './registry-entry.ts';

describe('ways to run a server of the official registry', () => {
  test('are npm, PyPI, images and addresses, in this order; others come last, with the reason (MR-T10)', () => {
    const options = optionsOf({
      remotes: [
        { type: 'streamable-http', url: 'https://example.com/mcp' },
        { type: 'websocket', url: 'https://example.com/ws' },
      ],
      packages: [
        { registryType: 'nuget', identifier: 'x', transport: { type: 'stdio' } },
        { registryType: 'oci', identifier: 'example/x:1', transport: { type: 'stdio' } },
        { registryType: 'cargo', identifier: 'x', transport: { type: 'stdio' } },
        { registryType: 'pypi', identifier: 'x', version: '1', transport: { type: 'stdio' } },
        { registryType: 'npm', identifier: 'x', version: '1', transport: { type: 'stdio' } },
        { registryType: 'npm', identifier: 'x', transport: { type: 'streamable-http', url: 'http://localhost:1' } },
        { nonsense: true },
      ],
    });

    assert.deepEqual(
      options.map((option) => ('draft' in option ? option.package : `${option.package}: no`)),
      ['npm', 'pypi', 'docker', 'http', 'nuget: no', 'cargo: no', 'npm: no', 'unknown: no', 'http: no'],
    );
  });

  test('are read from entries with older names of fields', () => {
    const server = readServer({
      server: {
        name: 'io.example/old',
        description: 'x',
        version_detail: { version: '2.0.0' },
        packages: [
          {
            registry_name: 'npm',
            identifier: 'old',
            version: '2.0.0',
            runtime_hint: 'npx',
            package_arguments: [{ type: 'positional', value_hint: 'dir', is_required: true, is_repeated: true }],
            environment_variables: [{ name: 'OLD_TOKEN', is_required: true, is_secret: true }],
          },
        ],
      },
    });
    assert.ok(server);

    const draft = draftOf(installOptions(server));

    assert.deepEqual(draft.source, { type: 'official', name: 'io.example/old', version: '2.0.0' });
    assert.deepEqual(
      draft.inputs.map(({ key, required, secret, repeated }) => [key, required, secret, repeated]),
      [
        ['OLD_TOKEN', true, true, undefined],
        ['dir', true, false, true],
      ],
    );
  });

  test('leave out what our command has already, and turn variables of Docker into variables', () => {
    const draft = draftOf(
      optionsOf({
        packages: [
          {
            registryType: 'oci',
            identifier: 'example/x',
            transport: { type: 'stdio' },
            runtimeArguments: [
              { type: 'positional', value: 'run' },
              { type: 'named', name: '-i' },
              { type: 'named', name: '--rm' },
              { type: 'named', name: '--network', value: 'host' },
              {
                type: 'named',
                name: '-e',
                value: 'API_URL=https://{host}/?k={key}',
                isRequired: true,
                variables: { host: { default: 'h' }, key: { isSecret: true } },
              },
            ],
          },
        ],
      }),
    );

    assert.deepEqual(draft.package.runtime_args, ['--network', 'host']);
    assert.deepEqual(fill(draft, { key: 's' }).env_vars, {
      API_URL: { value: 'https://h/?k=s', is_secret: true, required: true },
    });
  });

  test('guess secrets by names where the entry does not say (MR-T8), and keep unknown variables as they are', () => {
    const draft = draftOf(
      optionsOf({
        remotes: [
          {
            type: 'sse',
            url: 'https://example.com/{region}/sse',
            headers: [
              { name: 'Authorization', value: 'Bearer {t}', variables: { t: { isRequired: true } } },
              { name: 'X-Mode', value: '{unknown} {fixed}', variables: { fixed: { value: 'yes' } } },
              { name: 'X-Api-Key', isSecret: false },
            ],
          },
        ],
      }),
    );

    assert.deepEqual(
      draft.inputs.map(({ key, required, secret }) => [key, required, secret]),
      [
        ['region', true, false],
        ['t', true, true],
        ['X-Api-Key', false, false],
      ],
    );
    assert.equal(draft.headers?.['X-Mode']?.value, '{unknown} yes');
    assert.equal(draft.transport.type, 'sse');
  });

  test('give variables of the same name two inputs if they differ', () => {
    const draft = draftOf(
      npmWith({
        packageArguments: [
          { type: 'named', name: '--a', value: '{x}', variables: { x: { isRequired: true } } },
          { type: 'named', name: '--b', value: '{x}', variables: { x: { isRequired: true } } },
          { type: 'named', name: '--c', value: '{x}', variables: { x: { default: '3' } } },
        ],
      }),
    );

    assert.deepEqual(
      missing(draft).map(({ key }) => key),
      ['x'],
    );
    assert.deepEqual(fill(draft, { x: '1', 'c.x': '2' }).args, ['--a', '1', '--b', '1', '--c', '2']);
  });
});

describe('a hostile entry', () => {
  test('cannot name a package that is an option, an address or a path', () => {
    for (const identifier of ['--call=id', '-c', '../x', '/bin/sh', 'git+ssh://x', 'file:x', 'x y', 'https://x', '']) {
      assert.equal(draftsOf(npmWith({ identifier })).length, 0, identifier);
    }
    assert.equal(draftsOf(npmWith({ version: '1 --call id' })).length, 0);
    assert.equal(draftsOf(optionsOf({ packages: [{ registryType: 'oci', identifier: '--privileged' }] })).length, 0);
  });

  test('cannot choose the program, nor run a shell', () => {
    const shell = [
      { type: 'positional', value: '-c' },
      { type: 'positional', value: 'id' },
    ];

    assert.equal(draftsOf(npmWith({ runtimeHint: '/bin/sh', runtimeArguments: shell })).length, 0);
    assert.equal(draftsOf(npmWith({ runtimeArguments: shell })).length, 0);
    assert.equal(draftsOf(npmWith({ runtimeArguments: [{ type: 'named', name: '--call', value: 'id' }] })).length, 0);
    assert.equal(draftOf(npmWith({ runtimeHint: '/bin/sh' })).package.runtime_hint, undefined);
  });

  test('cannot choose where a package comes from, nor take a container out of its isolation', () => {
    const dockerWith = (item: object) =>
      draftsOf(
        optionsOf({
          packages: [{ registryType: 'oci', identifier: 'x', transport: { type: 'stdio' }, runtimeArguments: [item] }],
        }),
      ).length;
    const refused = [
      { type: 'named', name: '--privileged' },
      { type: 'positional', value: '--privileged' },
      { type: 'positional', default: '--privileged' },
      { type: 'positional', value: '{a}', variables: { a: { default: '--privileged' } } },
      { type: 'named', name: '--pid', value: 'host' },
      { type: 'named', name: '--env-file', value: '/home/me/.env' },
      { type: 'named', name: '-iv', value: '/:/host' },
      { type: 'named', name: '-v', value: '/:/host' },
      { type: 'named', name: '-v=/:/host' },
      { type: 'named', name: '-v', value: '{p}:/host', variables: { p: { default: '/' } } },
      { type: 'named', name: '-v', value: '/{p}:/host', variables: { p: { isRequired: true } } },
      { type: 'named', name: '-v', value: '{unknown}:/host' },
      { type: 'named', name: '--mount', value: 'type=bind,source=/,dst=/host' },
      { type: 'positional', value: '-v' },
    ];
    const allowed = [
      { type: 'named', name: '-v', value: '{p}:/data', variables: { p: { isRequired: true } } },
      { type: 'named', name: '-v', value: 'data:/data' },
      { type: 'named', name: '--mount', value: 'type=bind,src={p},dst=/data', variables: { p: { isRequired: true } } },
    ];

    for (const item of refused) assert.equal(dockerWith(item), 0, JSON.stringify(item));
    for (const item of allowed) assert.equal(dockerWith(item), 1, JSON.stringify(item));
    for (const name of ['--registry', '--registry=https://evil.test', '--cal', '-yc', '--node-options']) {
      assert.equal(draftsOf(npmWith({ runtimeArguments: [{ type: 'named', name, value: 'x' }] })).length, 0, name);
    }
  });

  test('cannot change how programs run by variables, unless the user gives their values', () => {
    const withVariable = (variable: object) => draftsOf(npmWith({ environmentVariables: [variable] })).length;

    for (const name of ['PATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'npm_config_registry']) {
      assert.equal(withVariable({ name, value: 'x' }), 0, name);
      assert.equal(withVariable({ name, default: 'x' }), 0, name);
      assert.equal(withVariable({ name, isRequired: true }), 1, name);
    }
    assert.equal(withVariable({ name: 'NODE_ENV', value: 'production' }), 1);
  });

  test('gets no secret or variable of this machine by referring to it', () => {
    const remote = (header: object) =>
      draftsOf(optionsOf({ remotes: [{ type: 'sse', url: 'https://x', headers: [{ name: 'A', ...header }] }] })).length;
    const fixed = { d: { value: '$' } };

    for (const reference of [`\${secret:TOKEN}`, `\${env:HOME}`, `a \${env:`]) {
      assert.equal(remote({ value: reference }), 0, reference);
      assert.equal(remote({ default: reference }), 0, reference);
      assert.equal(draftsOf(npmWith({ environmentVariables: [{ name: 'A', value: reference }] })).length, 0, reference);
    }
    assert.equal(remote({ value: '{d}{env:HOME}', variables: fixed }), 0);
    assert.equal(remote({ value: '$5' }), 1);
  });

  test('gets no secret as an argument', () => {
    const argument = { type: 'named', name: '--token', isSecret: true };

    assert.equal(draftsOf(npmWith({ packageArguments: [{ ...argument, isRequired: true }] })).length, 0);
    assert.deepEqual(draftOf(npmWith({ packageArguments: [argument] })).inputs, []);
  });

  test('gets no secret without encryption, and no malformed header or variable', () => {
    const remote = (url: string, headers: object[] = []) => optionsOf({ remotes: [{ type: 'sse', url, headers }] });

    for (const url of ['http://example.com', 'ftp://x', 'https://u:p@example.com', 'x', 'http://{host}.example.com']) {
      assert.equal(draftsOf(remote(url)).length, 0, url);
    }
    assert.equal(draftsOf(remote('https://x', [{ name: 'A\r\nB', value: 'x' }])).length, 0);
    assert.equal(draftsOf(npmWith({ environmentVariables: [{ name: 'A=B' }] })).length, 0);
    assert.equal(draftsOf(remote('http://127.0.0.1:1/')).length, 1);
  });

  test('with defaults that do not fit is not offered', () => {
    const remote = (fields: object) =>
      optionsOf({ remotes: [{ type: 'sse', url: 'https://{a}.example.com/', ...fields }] });

    assert.equal(draftsOf(remote({ variables: { a: { default: 'evil.test/' } } })).length, 0);
    assert.equal(draftsOf(remote({ headers: [{ name: 'A', default: 'x\r\nB: y' }] })).length, 0);
    assert.equal(draftsOf(npmWith({ packageArguments: [{ type: 'positional', value: 'a\0b' }] })).length, 0);
  });

  test('is skipped or shortened, not trusted in its size or depth', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`) as unknown;
    const server = readServer({
      server: { name: 'a/b', description: 'x'.repeat(1e6), title: 'y'.repeat(1e6), extra: deep, packages: [deep] },
      _meta: deep,
    });

    assert.equal(server?.description?.length, 500);
    assert.equal(server.title?.length, 100);
    assert.equal(draftsOf(installOptions(server)).length, 0);
    for (const name of ['a', 'a/b c', `a/${'b'.repeat(300)}`, 'a/b\nIGNORE', '']) {
      assert.equal(readServer({ server: { name, description: '' } }), undefined, name);
    }
  });

  test('with __proto__ as a name changes nothing but itself', () => {
    const item = JSON.parse(
      '{"server":{"__proto__":{"polluted":1},"name":"a/b","packages":[{"registryType":"npm","identifier":"x","environmentVariables":[{"name":"__proto__","isRequired":true}],"packageArguments":[{"type":"named","name":"--a","value":"{__proto__} {constructor}","variables":{"__proto__":{"value":"p"}}}]}]}}',
    );
    const server = readServer(item);
    assert.ok(server);

    const drafts = draftsOf(installOptions(server)).map((draft) => fill(draft, {}));

    assert.equal(drafts.length, 1);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  test('never throws anything, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue(), fc.jsonValue(), (packages, remotes, variable) => {
        const server = readServer({
          server: {
            name: 'a/b',
            packages: [packages, { registryType: 'npm', identifier: 'x', packageArguments: [variable] }],
            remotes: [remotes, { type: 'sse', url: 'https://x/{a}', variables: { a: variable }, headers: [variable] }],
          },
        });
        if (server) installOptions(server);
        readServer(packages);
      }),
    );
  });
});

function optionsOf(fields: object): readonly InstallOption[] {
  const server = readServer({ server: { name: 'io.example/x', description: 'x', version: '1.0.0', ...fields } });
  assert.ok(server);
  return installOptions(server);
}

function npmWith(fields: object): readonly InstallOption[] {
  return optionsOf({ packages: [{ registryType: 'npm', identifier: 'x', transport: { type: 'stdio' }, ...fields }] });
}

function draftsOf(options: readonly InstallOption[]): readonly ServerDraft[] {
  return options.flatMap((option) => ('draft' in option ? [option.draft] : []));
}

function draftOf(options: readonly InstallOption[]): ServerDraft {
  const [draft] = draftsOf(options);
  assert.ok(draft, JSON.stringify(options));
  return draft;
}
