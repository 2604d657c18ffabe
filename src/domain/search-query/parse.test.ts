import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../errors.ts';
import { parseQuery } from './parse.ts';
import { printQuery } from './print.ts';
import {
  allOf,
  anyOf,
  CONTENTS,
  MESSAGE_STATES,
  not,
  type SearchQuery,
  type SearchTerm,
  TEXT_OPERATORS,
} from './query.ts';

const NOW = Date.parse('2026-11-16T10:20:30.400Z');
const parse = (text: string) => parseQuery(text, { now: NOW });
const word = (text: string) => ({ kind: 'word', text }) as const;
const phrase = (text: string) => ({ kind: 'phrase', text }) as const;
const at = (moment: string) => Date.parse(moment);

describe('a query', () => {
  const table: [string, SearchQuery][] = [
    ['deploy', word('deploy')],
    ['  deploy   failed ', allOf([word('deploy'), word('failed')])],
    ['"out of memory"', phrase('out of memory')],
    ['“out of memory”', phrase('out of memory')],
    ['„so“ x', allOf([phrase('so'), word('x')])],
    ['segfault -kernel', allOf([word('segfault'), not(word('kernel'))])],
    ['-"a b" -from:x', allOf([not(phrase('a b')), not({ kind: 'from', text: 'x' })])],
    ['NOT a', not(word('a'))],
    ['NOT NOT a', word('a')],
    ['a OR b', anyOf([word('a'), word('b')])],
    ['a b OR c', allOf([word('a'), anyOf([word('b'), word('c')])])],
    ['a AND b OR c AND d', anyOf([allOf([word('a'), word('b')]), allOf([word('c'), word('d')])])],
    ['(a b) OR -(c OR d)', anyOf([allOf([word('a'), word('b')]), not(anyOf([word('c'), word('d')]))])],
    ['((a) b) c', allOf([word('a'), word('b'), word('c')])],
    ['a or b and not c', allOf(['a', 'or', 'b', 'and', 'not', 'c'].map(word) as [SearchQuery])],
    ['f(a, b) c', allOf([word('f(a,'), word('b)'), word('c')])],
    ['(f(a b) OR c)', allOf([word('f(a'), anyOf([word('b)'), word('c')])])],
    ['(f( ) OR c', anyOf([word('f('), word('c')])],
    ['ORDER ANDY NOTE', allOf([word('ORDER'), word('ANDY'), word('NOTE')])],
    ['from:alice', { kind: 'from', text: 'alice' }],
    ['From:"Alice B"', { kind: 'from', text: 'Alice B' }],
    [
      'from:(alice OR "Bob C")',
      anyOf([
        { kind: 'from', text: 'alice' },
        { kind: 'from', text: 'Bob C' },
      ]),
    ],
    ['to:bob@example.org', { kind: 'to', text: 'bob@example.org' }],
    [
      'cc:a subject:b',
      allOf([
        { kind: 'cc', text: 'a' },
        { kind: 'subject', text: 'b' },
      ]),
    ],
    [
      'filename:x.pdf in:#dev',
      allOf([
        { kind: 'filename', text: 'x.pdf' },
        { kind: 'in', text: '#dev' },
      ]),
    ],
    ['source:tg', { kind: 'source', text: 'tg' }],
    ['account:work', { kind: 'source', text: 'work' }],
    ['has:image', { kind: 'has', what: 'image' }],
    ['has:Attachments', { kind: 'has', what: 'attachment' }],
    ['has:photo', { kind: 'has', what: 'image' }],
    ['is:unread', { kind: 'is', what: 'unread' }],
    ['is:STARRED', { kind: 'is', what: 'flagged' }],
    ['is:sent', { kind: 'is', what: 'own' }],
    ['after:2026-11-01', { kind: 'after', at: at('2026-11-01') }],
    ['before:2026/3/7', { kind: 'before', at: at('2026-03-07') }],
    ['after:yesterday', { kind: 'after', at: at('2026-11-15') }],
    ['since:7d', { kind: 'after', at: NOW - 7 * 86_400_000 }],
    ['after:"7 days ago"', { kind: 'after', at: NOW - 7 * 86_400_000 }],
    ['older_than:1d', { kind: 'before', at: NOW - 86_400_000 }],
  ];
  for (const [text, expected] of table) {
    test(text, () => {
      assert.deepEqual(parse(text), expected);
    });
  }
});

describe('plain text', () => {
  const texts = [
    'foo:bar',
    'http://x.org/a?b=(c)',
    '12:30',
    'constructor:x',
    '__proto__:x',
    '::',
    ':)',
    ';-)',
    'main()',
    'f(a)(b)',
    'printf("%d",',
    '5"',
    'a"b',
    "it's",
    're-read',
    '--help',
    '-',
    '–',
    'C#',
    'a|b',
    'a)b',
    '@nick',
    '東京',
    '\u0000',
    '\ud800',
  ];
  for (const text of texts) {
    test(JSON.stringify(text), () => {
      assert.deepEqual(parse(text), word(text));
    });
  }
});

describe('an error shows the place', () => {
  const table: [text: string, problem: RegExp, place: string][] = [
    ['', /nothing to search for/, '«»'],
    ['a is:purple b', /value of is: must be one of unread, read, flagged, own, reply, edited/, 'a «is:purple» b'],
    ['has:hope', /value of has: must be one of attachment, image/, '«has:hope»'],
    ['after:someday x', /value of after: must be a time: 45s/, '«after:someday» x'],
    ['before:2026-02-30', /must be a time/, '«before:2026-02-30»'],
    ['from: alice', /from: needs a value right after the colon/, '«from:» alice'],
    ['a "b', /quotation mark is never closed/, 'a «"»b'],
    ['a “b', /quotation mark is never closed/, 'a «“»b'],
    ['a ""', /nothing between the quotation marks/, 'a «""»'],
    ['(a OR b', /parenthesis is never closed/, '«(»a OR b'],
    ['a OR b)', /closing parenthesis has no opening one/, 'a OR b«)»'],
    ['a )', /closing parenthesis has no opening one/, 'a «)»'],
    ['a ()', /nothing between the parentheses/, 'a «(»)'],
    ['OR a', /OR needs a term on both sides/, '«OR» a'],
    ['a OR', /OR needs a term after it/, 'a «OR»'],
    ['(a AND) b', /AND needs a term after it/, '(a «AND») b'],
    ['a NOT', /NOT needs a term after it/, 'a «NOT»'],
    ['a OR OR b', /OR needs a term on both sides/, 'a OR «OR» b'],
    ['from:(a to:b)', /operator cannot be within from/, 'from:(a «to:b»)'],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, /nested more than 20 deep/, `${'('.repeat(20)}«(»a`],
  ];
  for (const [text, problem, place] of table) {
    test(text || '(empty)', () => {
      assert.throws(
        () => parse(text),
        (thrown) => {
          assert.ok(thrown instanceof AppError);
          assert.deepEqual([thrown.code, thrown.field], ['INVALID_PARAMETER', 'query']);
          assert.match(thrown.message, problem);
          assert.match(thrown.message, /^query: /);
          assert.ok(thrown.hint?.startsWith(`At: ${place}`), thrown.hint);
          return true;
        },
      );
    });
  }

  test('in the field and with the code of the operation', () => {
    assert.throws(() => parseQuery('is:x', { now: NOW, field: 'q', code: 'VALIDATION_ERROR' }), {
      code: 'VALIDATION_ERROR',
      field: 'q',
      message: /^q: /,
    });
  });

  test('on one line, shortened, and without characters that are not seen', () => {
    const hostile = `${'x'.repeat(200)} is:a\u202eb\u2066c\u0007»\ud800${'y'.repeat(200)} z`;

    assert.throws(
      () => parse(hostile),
      ({ hint }: AppError) => {
        assert.match(hint ?? '', /^At: …x+ «is:a\ufffdb\ufffdc\ufffd\ufffd\ufffdy+…» z\./u);
        assert.ok((hint ?? '').length < 250);
        return true;
      },
    );
  });

  test('if it is too long or has too many terms', () => {
    assert.throws(() => parse('a'.repeat(4_001)), { message: /longer than 4000/ });
    assert.throws(() => parse('a '.repeat(501)), { message: /more than 500 terms/ });
    assert.throws(() => parse('from:a '.repeat(51)), { message: /more than 50 operators/ });
    assert.throws(() => parse(`to:(${'a '.repeat(51)})`), { message: /more than 50 operators/ });
  });
});

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...[
      'a',
      'b',
      ' ',
      '  ',
      '"',
      '“',
      '(',
      ')',
      '-',
      'OR',
      'AND',
      'NOT',
      'from:',
      'is:',
      'is:read',
      'after:7d',
      ':',
      '|',
    ],
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((some) => some.join('')),
    fc.array(pieces, { maxLength: 40 }).map((some) => some.join(' ')),
    fc.string({ unit: 'binary' }),
    fc.string(),
  );

  test('is parsed, or refused with an error of ours that names a place in it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          assert.deepEqual(parse(printQuery(parse(text))), parse(text));
        } catch (thrown) {
          if (!(thrown instanceof AppError)) throw thrown;
          assert.match(thrown.hint ?? '', /^At: [^\n]*«.*»/su);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('a query that was printed is parsed to the same query', () => {
    fc.assert(
      fc.property(queries, (query) => assert.deepEqual(parse(printQuery(query)), query)),
      { numRuns: 1_000 },
    );
  });

  test('attack: signs without end are refused or parsed at once', () => {
    for (const sign of ['(', ')', '-', '"', '“', '-(', 'NOT ', 'OR ', 'a OR ', 'from:', 'from:(', 'a(', '((', '\\"']) {
      try {
        parse(sign.repeat(4_000 / sign.length));
      } catch (thrown) {
        assert.ok(thrown instanceof AppError, sign);
      }
    }
  });
});

const plainText = fc
  .string({ unit: fc.constantFrom(...'abcäé東🍕 .-@:()#'), minLength: 1, maxLength: 12 })
  .map((text) => text.trim())
  .filter((text) => text !== '');
const plainWord = fc.string({ unit: fc.constantFrom(...'abcä東.@#_'), minLength: 1, maxLength: 8 });
const PLAIN = { noNullPrototype: true } as const;
const terms: fc.Arbitrary<SearchTerm> = fc.oneof(
  fc.record({ kind: fc.constant('word' as const), text: plainWord }, PLAIN),
  fc.record({ kind: fc.constant('phrase' as const), text: plainText }, PLAIN),
  fc.record({ kind: fc.constantFrom(...TEXT_OPERATORS), text: plainText }, PLAIN),
  fc.record({ kind: fc.constant('has' as const), what: fc.constantFrom(...CONTENTS) }, PLAIN),
  fc.record({ kind: fc.constant('is' as const), what: fc.constantFrom(...MESSAGE_STATES) }, PLAIN),
  fc.record({ kind: fc.constantFrom('after' as const, 'before' as const), at: fc.nat(4_000_000_000_000) }, PLAIN),
);
const { queries } = fc.letrec<{ queries: SearchQuery; groups: SearchQuery }>((tie) => ({
  groups: fc
    .tuple(fc.constantFrom(allOf, anyOf), fc.array(tie('queries'), { minLength: 1, maxLength: 4 }))
    .map(([make, of]) => make(of as [SearchQuery])),
  queries: fc.oneof({ maxDepth: 4, withCrossShrink: true }, terms, tie('groups'), tie('queries').map(not)),
}));
