import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NotImportable, plainText, type SubstitutionContext, substitute } from './substitute.ts';

const CONTEXT: SubstitutionContext = {
  env: { SET: 'value', API_TOKEN: 'secret', EMPTY: '', DOLLAR: `\${SET}` },
  userHome: '/home/me',
  workspaceFolder: '/code/project',
  inputs: new Map([['key', { key: 'key', kind: 'variable', required: true, secret: true }]]),
};

describe('a reference', () => {
  test('is replaced in all the forms of other programs', () => {
    const replaced: [string, string][] = [
      [`\${SET}`, 'value'],
      [`\${env:SET}`, 'value'],
      [`a\${SET}b\${env:SET}c`, 'avaluebvaluec'],
      [`\${UNSET:-default}`, 'default'],
      [`\${env:UNSET:-default}`, 'default'],
      [`\${EMPTY:-default}`, 'default'],
      [`\${SET:-default}`, 'value'],
      [`\${UNSET:-\${SET}}`, 'value'],
      [`\${UNSET:-{"a":{}}}`, '{"a":{}}'],
      [`\${UNSET:-a:-b}`, 'a:-b'],
      [`\${userHome}\${/}x\${pathSeparator}y`, '/home/me/x/y'],
      [`\${workspaceFolder}/\${workspaceFolderBasename}`, '/code/project/project'],
      // What a variable contains is a value, not a reference.
      [`\${DOLLAR}`, `\${SET}`],
      ['$SET $$ {SET} $(id) `id`', '$SET $$ {SET} $(id) `id`'],
      [`\${SET`, `\${SET`],
      ['', ''],
    ];

    for (const [text, expected] of replaced) {
      assert.equal(plainText(substitute(text, CONTEXT).pieces), expected, text);
    }
  });

  test('to a variable without a value is an input, and so is a folder that is not known', () => {
    const { workspaceFolder, ...elsewhere } = CONTEXT;

    for (const name of ['UNSET', 'EMPTY', 'toString', '__proto__']) {
      const { pieces, inputs } = substitute(`x\${env:${name}}y`, CONTEXT);
      assert.deepEqual(pieces, ['x', { input: name }, 'y']);
      assert.deepEqual(inputs, [{ key: name, kind: 'variable', required: true, secret: false }]);
    }
    assert.deepEqual(substitute(`\${UNSET:-}`, CONTEXT).pieces, [{ input: 'UNSET' }]);
    assert.deepEqual(substitute(`\${workspaceFolder}`, elsewhere).pieces, [{ input: 'workspaceFolder' }]);
  });

  test('to a secret is noticed, whether it has a value or not', () => {
    assert.equal(substitute(`\${API_TOKEN}`, CONTEXT).hasSecret, true);
    assert.equal(substitute(`\${OTHER_TOKEN}`, CONTEXT).hasSecret, true);
    assert.equal(substitute(`\${input:key}`, CONTEXT).hasSecret, true);
    assert.equal(substitute(`\${SET}`, CONTEXT).hasSecret, false);
  });

  test('of another kind is refused, not kept as text', () => {
    const many = `\${SET}`.repeat(101);
    const nested = `${`\${U:-`.repeat(10)}x${'}'.repeat(10)}`;

    for (const text of [`\${command:x}`, `\${config:a.b}`, `\${}`, `\${a b}`, `\${input:none}`, many, nested]) {
      assert.throws(() => substitute(text, CONTEXT), NotImportable, text.slice(0, 20));
    }
  });

  test('is never in the result, whatever is around it', () => {
    const text = fc.string().filter((part) => !part.includes('$'));
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom('SET', 'UNSET', 'env:SET', 'env:UNSET', 'UNSET:-d'),
        (before, after, name) => {
          const { pieces } = substitute(`${before}\${${name}}${after}`, CONTEXT);

          const known = pieces.map((piece) => (typeof piece === 'string' ? piece : '')).join('');
          assert.ok(known.startsWith(before) && known.endsWith(after));
          assert.ok(!known.includes(`\${`));
        },
      ),
    );
  });

  test('in any text ends in a result or a refusal', () => {
    const part = fc.oneof(fc.constantFrom(`\${`, '}', ':-', 'env:', 'SET', '{', '$'), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        try {
          substitute(parts.join(''), CONTEXT);
        } catch (thrown) {
          assert.ok(thrown instanceof NotImportable);
        }
      }),
    );
  });
});
