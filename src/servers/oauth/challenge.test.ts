import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bearerChallenge } from './challenge.ts';

const METADATA = 'https://mcp.example.test/.well-known/oauth-protected-resource';

describe('the challenge of a server', () => {
  test('names the error, the scopes and the metadata', () => {
    const header = `Bearer error="insufficient_scope", scope="files:read files:write", resource_metadata="${METADATA}", error_description="a, \\"b\\""`;

    const challenge = bearerChallenge(header);

    assert.deepEqual(challenge, {
      error: 'insufficient_scope',
      scopes: ['files:read', 'files:write'],
      resourceMetadata: METADATA,
    });
  });

  for (const [name, header] of [
    ['after one of another scheme', 'Basic realm="x, Bearer scope=no", Bearer scope="a b"'],
    ['after one with a token', 'Negotiate YWJjZA==, Bearer scope="a b"'],
    ['after one without parameters', 'Negotiate, Bearer scope="a b"'],
    ['before another', 'Bearer scope="a b", Digest realm="x", scope="c"'],
    ['in other letter case and with other spaces', 'bEARER   Scope = "a b"  ,realm=x'],
    ['with empty elements', ', ,Bearer ,scope="a b",,'],
    ['with a repeated parameter, of which the first counts', 'Bearer scope="a b", scope="c"'],
    ['with scopes that no scope may be, which are left out', 'Bearer scope="a b \u00e9 \\\\ a"'],
  ] as const) {
    test(`is found ${name}`, () => {
      assert.deepEqual(bearerChallenge(header)?.scopes, ['a', 'b']);
    });
  }

  test('may have no parameters', () => {
    assert.deepEqual(bearerChallenge('Bearer'), {});
  });

  for (const header of [undefined, '', 'Basic realm="x"', 'Bearerx scope="a"', '"Bearer"', 'Basic realm="Bearer']) {
    test(`is missing in ${header}`, () => {
      assert.equal(bearerChallenge(header), undefined);
    });
  }

  test('is limited in length and in scopes', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `s${index}`).join(' ');

    assert.equal(bearerChallenge(`Bearer scope="${many}"`)?.scopes?.length, 100);
    assert.equal(bearerChallenge(`Bearer scope="${'x'.repeat(20_000)}"`), undefined);
  });

  test('is read for any text without failing', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('Bearer', 'Basic', ' ', ',', '=', '"', '\\', 'scope', 'error', 'YQ=='),
    );
    const text = fc.array(part).map((parts) => parts.join(''));

    fc.assert(
      fc.property(text, (header) => {
        const scopes = bearerChallenge(header)?.scopes ?? [];

        assert.ok(scopes.every((scope) => /^[\x21-\x7e]+$/.test(scope)));
      }),
    );
  });

  test('gives back each value that was quoted', () => {
    const value = fc.string({ unit: 'grapheme-ascii' });
    const others = fc.constantFrom('', 'Basic realm="Bearer error=no", ', 'Negotiate abc=, ');

    fc.assert(
      fc.property(value, value, others, (error, metadata, before) => {
        const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
        const header = `${before}Bearer error=${quoted(error)}, resource_metadata=${quoted(metadata)}`;

        assert.deepEqual(bearerChallenge(header), { error, resourceMetadata: metadata });
      }),
    );
  });
});
