import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { CONFIG_FILE, CONFIG_MODEL, load, problemsOf } from '../../tests/support/config.ts';
import { loadConfig } from './load.ts';
import { ConfigError } from './problems.ts';

const BYTES = 65_536;
const MAKE_PIPE = 'mkfifo';

describe('broken YAML is reported with its line', () => {
  const broken: [what: string, yaml: string, place: string, words: RegExp][] = [
    ['a tab for indentation', 'server:\n\tname: x', '2:1', /a tab cannot indent/],
    ['a bracket that is not closed', 'mcp:\n  allowed_hosts: [a', '2:20', /bracket/],
    ['a quote that is not closed', 'server:\n  name: "x', '2:11', /closing quote/],
    ['two colons', 'server: name: x', '1:9', /indentation, or put the text in quotes/],
    ['a line without a colon', 'server:\n  name: x\nlimits', '3:1', /colon/],
    ['a reserved character', 'server:\n  name: @x', '2:9', /must be in quotes/],
    ['braces in braces', `auth: { token: \${env:A} }`, '1:17', /must be in quotes: "\$\{env:NAME\}"/],
    ['two documents', 'server: {}\n---\nlimits: {}', '2:1', /one document/],
    ['an unknown tag', 'server:\n  name: !!js/function x', '2:9', /tag/],
    ['an alias to nothing', 'server:\n  name: *x', '2:3', /anchor/],
    ['an alias to itself', 'server: &a\n  name: *a', '2:3', /anchor/],
    ['a backslash that means nothing', 'server:\n  name: "\\q"', '2:10', /backslash/],
    ['a key that is a list', '? [a]\n: x', '1:3', /plain word/],
    ['a list instead of a mapping', '- server', '1:1', /must be a mapping/],
    ['a word instead of a mapping', 'server', '1:1', /must be a mapping/],
    ['another thing entirely', '%!PS-Adobe', '1:1', /not valid YAML|mapping/],
  ];
  for (const [what, yaml, place, words] of broken) {
    test(what, async () => {
      const [first = ''] = await problemsOf({ yaml });

      assert.ok(first.startsWith(`${CONFIG_FILE}:${place}`) || first.includes(`(${CONFIG_FILE}:${place})`), first);
      assert.match(first, words);
    });
  }

  test('names of Object.prototype are ordinary keys', async () => {
    const problems = await problemsOf({ yaml: '__proto__: { server: x }\nconstructor: 1\ntoString: 1' });

    assert.deepEqual(
      problems.map((line) => line.split(' ')[0]),
      ['__proto__', 'constructor', 'toString'],
    );
  });
});

describe('hostile YAML', () => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}]`,
  );
  const attacks: Record<string, string> = {
    'a billion laughs': `a0: &a0 lol\n${levels.join('\n')}`,
    'thousands of keys': Array.from({ length: BYTES / 10 }, (_, index) => `k${index}: 1`)
      .join('\n')
      .slice(0, BYTES),
    'one key again and again': 'k: 1\n'.repeat(BYTES / 5),
    'brackets without end': '['.repeat(BYTES),
    'braces without end': '{a: '.repeat(BYTES / 4),
    'dashes without end': '- '.repeat(BYTES / 2),
    'questions without end': '? '.repeat(BYTES / 2),
    'ever deeper lines': Array.from({ length: 700 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
    'quotes without end': '"'.repeat(BYTES),
    'exclamation marks': '!'.repeat(BYTES),
    'a long key': `${'k'.repeat(BYTES - 10)}: 1`,
    'thousands of sources': `sources:\n${Array.from({ length: 2000 }, (_, index) => `  s${index}: { kind: irc }`).join('\n')}`,
    'thousands of tokens': `auth:\n  tokens:\n${'  - { name: a }\n'.repeat(2000)}`,
    nothing: '\0'.repeat(1000),
  };
  for (const [what, yaml] of Object.entries(attacks)) {
    test(`${what}: a ConfigError of a readable size`, async () => {
      await assert.rejects(load({ yaml }), (error) => {
        assert.ok(error instanceof ConfigError, String(error));
        assert.ok(error.message.length < 20_000, String(error.message.length));
        return true;
      });
    });
  }

  test('any text results in a configuration or a ConfigError', async () => {
    const token = fc.constantFrom(
      ...[
        'server',
        'name',
        'auth',
        'token',
        'sources',
        'kind',
        'irc',
        ':',
        ': ',
        '\n',
        '\n  ',
        '- ',
        '? ',
        '{',
        '}',
        '[',
      ],
      ...[
        ']',
        ',',
        '&a ',
        '*a',
        '!!int ',
        '|',
        '>',
        '"',
        "'",
        '#',
        '---\n',
        '...\n',
        '%YAML 1.1\n',
        '\t',
        '<<: ',
        '~',
        '1e9',
      ],
      ...[`\${env:A}`, `\${secret:A}`, '\u2028', '\ud800', '\0', '__proto__'],
    );
    const yaml = fc.oneof(
      fc.string(),
      fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join('')),
    );
    await fc.assert(
      fc.asyncProperty(yaml, async (text) => {
        await load({ yaml: text }).catch((error: unknown) => assert.ok(error instanceof ConfigError, String(error)));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hostile files', () => {
  let home = '';
  let file = '';
  const read = () => loadConfig({ model: CONFIG_MODEL, home, env: {} });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-hostile-'));
    file = join(home, 'config.yaml');
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test('20 MB of aliases are refused before they are read', async () => {
    writeFileSync(file, `a: &a 1\n${'b: *a\n'.repeat(3_400_000)}`);

    await assert.rejects(read(), {
      code: 'VALIDATION_ERROR',
      message: `${file} is larger than 128 KiB, the most that is read.`,
    });
  });

  test('an endless device is not read', async () => {
    symlinkSync('/dev/zero', file);

    await assert.rejects(read(), { code: 'VALIDATION_ERROR', message: `${file} is not a file.` });
  });

  test('a pipe without a writer is not waited for', async () => {
    execFileSync(MAKE_PIPE, [file]);

    await assert.rejects(read(), { code: 'VALIDATION_ERROR', message: `${file} is not a file.` });
  });

  test('a link to itself is a clear error', async () => {
    symlinkSync(file, file);

    await assert.rejects(read(), { code: 'VALIDATION_ERROR', message: /cannot be read/ });
  });
});
