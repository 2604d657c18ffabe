import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkComplete, createDraft, type DraftInput, fill, missing, suggestedAuth } from './draft.ts';
import type { DraftPlace } from './draft-places.ts';
import { urlWithSecrets } from './draft-url.ts';

const NPM = { name: 'x', package: { type: 'npm', identifier: 'x' }, transport: { type: 'stdio' } } as const;
const REMOTE = {
  name: 'x',
  package: { type: 'http', identifier: '' },
  transport: { type: 'http', url: 'https://example.com' },
} as const;

describe('a draft', () => {
  test('has no answer by default, names what is missing, and is complete with all answers (HOST-18)', () => {
    const draft = withVariables(input('TOKEN', { secret: true }), input('USER'), input('MODE', { required: false }));

    assert.throws(() => checkComplete(draft), {
      code: 'VALIDATION_ERROR',
      message: 'Missing required credentials',
      field: 'env_vars',
      hint: 'Give TOKEN, USER.',
    });
    const complete = fill(fill(draft, { TOKEN: 't' }), { USER: 'u' });

    checkComplete(complete);
    assert.deepEqual(complete.env_vars, {
      TOKEN: { value: 't', is_secret: true, required: true },
      USER: { value: 'u', is_secret: false, required: true },
    });
    assert.deepEqual(
      complete.inputs.map(({ key }) => key),
      ['MODE'],
    );
  });

  test('keeps a required variable without a value, and does not count an empty answer', () => {
    const draft = fill(withVariables(input('TOKEN', { secret: true })), { TOKEN: ' \r\n ' });

    assert.deepEqual(draft.env_vars, { TOKEN: { is_secret: true, required: true } });
    assert.equal(missing(draft).length, 1);
  });

  test('uses defaults until they are answered', () => {
    const draft = withVariables(input('UNITS', { default: 'metric', choices: ['metric', 'imperial'] }));

    assert.equal(draft.env_vars?.UNITS?.value, 'metric');
    assert.equal(fill(draft, { UNITS: 'imperial' }).env_vars?.UNITS?.value, 'imperial');
    assert.deepEqual(missing(draft), []);
  });

  test('refuses answers that do not fit, and those to questions that it does not have', () => {
    const draft = withVariables(
      input('UNITS', { choices: ['metric'] }),
      input('PORT', { format: 'number' }),
      input('DEBUG', { format: 'boolean' }),
      input('Accept', { kind: 'header' }),
    );

    const wrong = { UNITS: 'feet', PORT: '80x', DEBUG: 'yes', Accept: 'a\r\nb' };
    for (const [field, value] of Object.entries(wrong)) {
      assert.throws(() => fill(draft, { [field]: value }), { code: 'VALIDATION_ERROR', field });
    }
    assert.throws(() => fill(draft, { UNIT: 'x' }), { field: 'UNIT', hint: 'Did you mean UNITS?' });
    assert.throws(() => fill(draft, { PORT: '1\u0000' }), { field: 'PORT' });
    assert.throws(() => fill(draft, { PORT: '1'.repeat(20_000) }), { field: 'PORT' });
  });

  test('keeps what was changed in it since', () => {
    const draft = { ...withVariables(input('A')), name: 'renamed', env_vars: { B: { value: 'b', is_secret: false } } };

    const filled = fill(draft, { A: 'a' });

    assert.equal(filled.name, 'renamed');
    assert.deepEqual(Object.keys(filled.env_vars ?? {}), ['B', 'A']);
  });

  test('is the same however the answers arrive', () => {
    const keys = ['A', 'B', 'C', '__proto__', 'constructor'];
    const draft = withVariables(...keys.map((key) => input(key)));
    const answer = fc.record(Object.fromEntries(keys.map((key) => [`${key} `, fc.string({ minLength: 1 })])));
    fc.assert(
      fc.property(answer, fc.integer({ min: 0, max: keys.length }), (answers, split) => {
        const all = Object.entries(answers)
          .map(([key, value]): [string, string] => [key.trim(), value.replaceAll('\0', '')])
          .filter(([, value]) => value !== '');
        const [first, second] = [all.slice(0, split), all.slice(split)].map((part) => Object.fromEntries(part));

        const filled = fill(fill(draft, first ?? {}), second ?? {});

        assert.deepEqual(filled, fill(draft, Object.fromEntries(all)));
        for (const [key, value] of all)
          assert.equal(Object.entries(filled.env_vars ?? {}).find(([name]) => name === key)?.[1].value, value);
      }),
    );
  });
});

describe('arguments of a draft', () => {
  test('are in their order: fixed, positional, named, repeated, switches', () => {
    const inputs = [
      input('dir', { repeated: true }),
      input('level'),
      input('fast', { format: 'boolean' }),
      input('slow', { format: 'boolean' }),
      input('unset', { required: false }),
    ];
    const places: DraftPlace[] = [
      { in: 'args', text: ['serve'] },
      { in: 'args', text: [{ input: 'dir' }], repeated: true },
      { in: 'args', flag: '--level', text: [{ input: 'level' }] },
      { in: 'args', flag: '--level=', text: [{ input: 'level' }] },
      { in: 'args', flag: '--fast', text: [{ input: 'fast' }], isSwitch: true },
      { in: 'args', flag: '--slow', text: [{ input: 'slow' }], isSwitch: true },
      { in: 'args', flag: '--unset', text: [{ input: 'unset' }] },
    ];

    const draft = fill(createDraft(NPM, { inputs, places }), {
      dir: '/a,/b',
      level: 'x y',
      fast: 'true',
      slow: 'false',
    });

    assert.deepEqual(draft.args, ['serve', '/a', '/b', '--level', 'x y', '--level=x y', '--fast']);
  });

  test('with several variables are repeated together', () => {
    const inputs = [input('src', { repeated: true }), input('dst', { repeated: true, default: '/in' })];
    const places: DraftPlace[] = [
      { in: 'args', flag: '-v', text: [{ input: 'src' }, ':', { input: 'dst' }], repeated: true },
    ];
    const draft = createDraft(NPM, { inputs, places });

    assert.deepEqual(draft.args, []);
    assert.deepEqual(fill(draft, { src: 'a,b' }).args, ['-v', 'a:/in', '-v', 'b:/in']);
    assert.deepEqual(fill(draft, { src: 'a,b', dst: 'x,y' }).args, ['-v', 'a:x', '-v', 'b:y']);
    assert.throws(() => fill(draft, { src: 'a,b,c', dst: 'x,y' }), { code: 'VALIDATION_ERROR', field: 'dst' });
  });

  test('stay one argument each, whatever is answered', () => {
    const places: DraftPlace[] = [{ in: 'args', flag: '--name', text: ['<', { input: 'name' }, '>'] }];
    const draft = createDraft(NPM, { inputs: [input('name')], places });
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
        (name) => {
          assert.deepEqual(fill(draft, { name }).args, ['--name', `<${name}>`]);
        },
      ),
    );
  });
});

describe('the address of a draft', () => {
  const at = (text: readonly (string | { input: string })[], ...inputs: DraftInput[]) =>
    createDraft(REMOTE, { inputs, places: [{ in: 'url', text }] });

  test('has its variables in host, path and query, encoded', () => {
    const draft = at(
      ['https://', { input: 'tenant' }, '.example.com/', { input: 'path' }, '/mcp?team=', { input: 'team' }],
      input('tenant'),
      input('path'),
      input('team'),
    );

    assert.deepEqual(draft.transport, { type: 'http', url: 'https://{tenant}.example.com/{path}/mcp?team={team}' });
    const { transport } = fill(draft, { tenant: 'acme', path: 'a b/c?', team: 'x&y=z#' });

    assert.deepEqual(transport, {
      type: 'http',
      url: 'https://acme.example.com/a%20b/c%3F/mcp?team=x%26y%3Dz%23',
    });
  });

  test('cannot be changed to another host by a variable', () => {
    const draft = at(
      ['https://', { input: 'tenant' }, '.example.com/', { input: 'path' }],
      input('tenant'),
      input('path'),
    );

    for (const tenant of ['evil.test/', 'user@evil', 'a?b', 'a#', 'a b', '[::1]']) {
      assert.throws(() => fill(draft, { tenant }), { code: 'VALIDATION_ERROR', field: 'tenant' }, tenant);
    }
    assert.throws(() => fill(draft, { tenant: 'a', path: '../x' }), { field: 'path' });
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (path) => {
        const text = path.replaceAll('\0', '');
        if (text === '' || text.split('/').some((part) => part === '.' || part === '..')) return;
        const { transport } = fill(draft, { tenant: 'acme', path: text });
        assert.equal(new URL(transport.type === 'http' ? transport.url : '').host, 'acme.example.com');
      }),
    );
  });

  test('may be a variable itself, if that is an address', () => {
    const draft = at([{ input: 'base' }, '/mcp'], input('base'));

    assert.deepEqual(fill(draft, { base: 'http://nas:8080' }).transport, { type: 'http', url: 'http://nas:8080/mcp' });
    for (const base of ['file:///etc', 'javascript:x', 'nas', 'https://u:p@nas']) {
      assert.throws(() => fill(draft, { base }), { code: 'VALIDATION_ERROR', field: 'base' }, base);
    }
  });

  test('refers to secrets, which are inserted when it is connected to', () => {
    const draft = fill(at(['https://example.com/mcp?key=', { input: 'key' }], input('key', { secret: true })), {
      key: 'a&b',
    });

    const url = draft.transport.type === 'http' ? draft.transport.url : '';
    assert.equal(url, `https://example.com/mcp?key=\${secret:key}`);
    assert.deepEqual(draft.secrets, { key: 'a&b' });
    assert.equal(
      urlWithSecrets(url, (name) => draft.secrets?.[name] ?? ''),
      'https://example.com/mcp?key=a%26b',
    );
  });
});

describe('how to sign in to a server', () => {
  test('is suggested by its variables (MR-T9)', () => {
    const secret = { secret: true };

    assert.equal(suggestedAuth(withVariables(input('GH_CLIENT_ID'), input('GH_CLIENT_SECRET', secret))), 'oauth');
    assert.equal(suggestedAuth(withVariables(input('GH_CLIENT_ID'), input('GITHUB_PAT', secret))), 'api_key');
    assert.equal(suggestedAuth(withVariables(input('UNITS'))), 'none');
    assert.equal(suggestedAuth(createDraft({ ...NPM, headers: { Authorization: { is_secret: true } } })), 'api_key');
  });
});

function input(key: string, more: Partial<DraftInput> = {}): DraftInput {
  return { key, kind: 'env', required: true, secret: false, ...more };
}

function withVariables(...inputs: DraftInput[]) {
  const places = inputs.map(
    ({ key, required }): DraftPlace => ({
      in: 'env',
      name: key,
      text: [{ input: key }],
      ...(required ? { required } : {}),
    }),
  );
  return createDraft(NPM, { inputs, places });
}
