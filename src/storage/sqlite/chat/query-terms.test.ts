import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { mailToStore } from '../../../../tests/support/email/mail-samples.ts';
import { silentLog } from '../../../../tests/support/operation-context.ts';
import { openStore, type Store } from '../../../../tests/support/store/open-store.ts';
import type { InboundMessage } from '../../../domain/chat.ts';
import { parseQuery } from '../../../domain/search-query/parse.ts';
import { printQuery } from '../../../domain/search-query/print.ts';
import {
  allOf,
  anyOf,
  not,
  positiveTerms,
  type SearchQuery,
  type SearchTerm,
} from '../../../domain/search-query/query.ts';
import { systemClock } from '../../../lib/clock.ts';

const START = Date.UTC(2025, 0, 1);
const HOUR = 3_600_000;
const COUNT = 2_600;
const WORDS = ['alpha', 'beta', 'gamma', 'c#', 'c', '_start', 'start'];

/** A message with everything that a query can ask for. */
interface Sample {
  at: number;
  words: readonly string[];
  sender: string;
  chat: string;
  source: string;
  isOwn: boolean;
  isReply: boolean;
  isImage: boolean;
  /** Emails only. */
  mail?: { isSeen: boolean; isFlagged: boolean; folder: 'inbox' | 'archive' };
}

/** More messages than are read at a time, and all kinds of terms mixed in all ways. */
describe('a query finds what a full scan would find', () => {
  const samples = makeSamples();
  let store: Store;
  before(async () => {
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
    await fill(store, samples);
  });
  after(() => store.close());

  test('for any combination of terms, in any scope, page by page', async () => {
    const scopes = fc.record(
      {
        sources: fc.constantFrom<string[][]>(['irc'], ['work'], ['irc', 'work']),
        since: fc.nat(COUNT).map((n) => START + n * HOUR),
      },
      { requiredKeys: [] },
    );
    const modes = fc.constantFrom<Mode[]>('loose', 'only', 'except');
    await fc.assert(
      fc.asyncProperty(
        queries,
        modes,
        scopes,
        fc.integer({ min: 1, max: 1_500 }),
        async (query, mode, scope, limit) => {
          const { since = 0, sources = ['irc', 'work'] } = scope;
          const expected = samples
            .filter((sample) => sample.at >= since && sources.includes(sample.source) && fits(sample, query, mode))
            .map(({ at }) => at)
            .reverse();
          const filter = { ...scope, query, ...TYPED[mode] };

          const first = await store.messages.find(filter, { limit });
          const beforeId = first.messages.at(-1)?.id;
          const second = beforeId ? await store.messages.find(filter, { limit, beforeId }) : undefined;

          const found = [...first.messages, ...(second?.messages ?? [])].map(({ at }) => at);
          assert.deepEqual(found, expected.slice(0, 2 * limit), `${mode}: ${printQuery(query)}`);
          assert.equal(first.hasMore, expected.length > limit);
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('attack: a query', () => {
  let store: Store;
  before(async () => {
    store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
    await fill(store, makeSamples().slice(0, 100));
  });
  after(() => store.close());

  const find = (text: string) => store.messages.find({ query: parseQuery(text, { now: 0 }) }, { limit: 5 });

  test('as long and as deep as the parser accepts is answered', async () => {
    const words = Array.from({ length: 500 }, (_, index) => `w${index}`);
    const nested = (sign: string) => `${`${sign}(alpha OR `.repeat(20)}beta${')'.repeat(20)}`;
    const long = [
      words.join(' '),
      words.join(' OR '),
      words.map((word) => `-${word}`).join(' '),
      `"${words.join(' ')}"`,
    ];
    const deep = [nested(''), nested('-'), nested('is:own '), 'NOT '.repeat(900).concat('alpha')];

    for (const text of [...long, ...deep]) await find(text);
  });

  test('cannot reach the tokens, fields and syntax of the index', async () => {
    const texts = [
      '_o1',
      '"_s1"',
      'words:alpha',
      'alpha*',
      '"alpha" *',
      '^alpha',
      'NEAR(alpha beta)',
      '{words}:x',
      "alpha'",
    ];
    const operators = ['subject:"x\\" OR _o1"', 'to:"a b" *', 'from:%', "in:'", 'filename:*', 'source:"_o1"'];

    for (const text of [...texts, ...operators]) await find(text);
    assert.equal((await find('_o1 OR "_c1" OR "_m202501"')).messages.length, 0);
    assert.throws(() => parseQuery('has:file*', { now: 0 }), { code: 'INVALID_PARAMETER' });
  });
});

const terms: fc.Arbitrary<SearchTerm> = fc.oneof(
  fc.constantFrom(...WORDS).map((text) => ({ kind: 'word' as const, text })),
  fc
    .tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS))
    .map((pair) => ({ kind: 'phrase' as const, text: pair.join(' ') })),
  fc.constantFrom('ann', 'bob', 'nobody').map((text) => ({ kind: 'from' as const, text })),
  fc.constantFrom('c0', 'c1', 'inbox', 'archive', 'nowhere').map((text) => ({ kind: 'in' as const, text })),
  fc.constantFrom('c0', 'inbox', 'archive', 'nowhere').map((text) => ({ kind: 'folder' as const, text })),
  fc.constantFrom('irc', 'work', 'none').map((text) => ({ kind: 'source' as const, text })),
  fc.constantFrom('own', 'reply', 'read', 'unread', 'flagged').map((what) => ({ kind: 'is' as const, what }) as const),
  fc.constantFrom({ kind: 'has', what: 'image' } as const),
  fc
    .tuple(fc.constantFrom('after' as const, 'before' as const), fc.nat(COUNT))
    .map(([kind, hours]) => ({ kind, at: START + hours * HOUR })),
  fc.constantFrom({ kind: 'word', text: '&' } as const),
);
const { queries } = fc.letrec<{ queries: SearchQuery; groups: SearchQuery }>((tie) => ({
  groups: fc
    .tuple(fc.constantFrom(allOf, anyOf), fc.array(tie('queries'), { minLength: 2, maxLength: 3 }))
    .map(([make, of]) => make(of as [SearchQuery])),
  queries: fc.oneof({ maxDepth: 3, withCrossShrink: true }, terms, tie('groups'), tie('queries').map(not)),
}));

type Mode = 'loose' | 'only' | 'except';

const TYPED = {
  loose: {},
  only: { typed: { kind: 'only' } },
  except: { typed: { kind: 'except', from: '0' } },
} as const;

function fits(sample: Sample, query: SearchQuery, mode: Mode): boolean {
  const texts = positiveTerms(query).filter(({ kind }) => kind === 'word' || kind === 'phrase');
  // Nothing resembles signs alone.
  if (mode !== 'only' && texts.length > 0 && texts.every((term) => term.kind === 'word' && term.text === '&'))
    return false;
  const [loose, typed] = (['loose', 'typed'] as const).map((how) => verdict(sample, query, how));
  if (mode === 'except') return loose === true && typed === false;
  return (mode === 'only' ? typed : loose) ?? true;
}

/** Signs of excluded terms count, where there are any. Otherwise, terms of signs alone are ignored. */
function verdict(sample: Sample, query: SearchQuery, how: 'loose' | 'typed' | 'excluded'): boolean | undefined {
  if (query.kind === 'not') {
    if (query.of.kind === 'any') return verdict(sample, allOf(query.of.of.map(not) as [SearchQuery]), how);
    const inner = verdict(sample, query.of, 'excluded');
    return inner === undefined ? undefined : !inner;
  }
  if (query.kind !== 'all' && query.kind !== 'any') return fitsTerm(sample, query, how);
  const verdicts = query.of.map((each) => verdict(sample, each, how)).filter((one) => one !== undefined);
  if (verdicts.length === 0) return undefined;
  return query.kind === 'all' ? verdicts.every(Boolean) : verdicts.some(Boolean);
}

function fitsTerm(
  { at, words, sender, chat, source, mail, ...sample }: Sample,
  term: SearchTerm,
  how: 'loose' | 'typed' | 'excluded',
): boolean | undefined {
  switch (term.kind) {
    case 'word':
      if (how !== 'loose') return isWithin(words.join(' '), term.text);
      return term.text === '&' ? undefined : words.map(lettersOf).includes(lettersOf(term.text));
    case 'phrase':
      if (how === 'typed' || (how === 'excluded' && /[#_]/.test(term.text)))
        return isWithin(words.join(' '), term.text);
      return ` ${words.map(lettersOf).join(' ')} `.includes(` ${lettersOf(term.text)} `);
    case 'from':
      return sender === term.text;
    case 'in':
      return chat === term.text || mail?.folder === term.text;
    case 'folder':
      return mail?.folder === term.text;
    case 'source':
      return source === term.text;
    case 'has':
      return sample.isImage;
    case 'after':
      return at >= term.at;
    case 'before':
      return at < term.at;
    case 'is':
      return {
        own: sample.isOwn,
        reply: sample.isReply,
        read: mail?.isSeen === true,
        unread: mail?.isSeen === false,
        flagged: mail?.isFlagged === true,
        edited: false,
      }[term.what];
    default:
      throw new Error(term.kind);
  }
}

const lettersOf = (text: string) => text.replace(/[#_]/g, '');

/** Not as a part of a longer word: `start` is in `_start`, `c` in `c#`, and nothing else here is in another word. */
function isWithin(text: string, typed: string): boolean {
  return new RegExp(`(?<![a-z])${typed}(?![a-z])`).test(text);
}

function makeSamples(): Sample[] {
  const numbers = fc.sample(fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }), { numRuns: COUNT, seed: 5 });
  return numbers.map(([a = 0, b = 0, c = 0, d = 0, e = 0, ...rest], index) => {
    const isMail = a % 3 === 0;
    return {
      at: START + index * HOUR,
      words: rest.slice(0, 1 + (b % 5)).map((number) => WORDS[number % WORDS.length] ?? ''),
      sender: ['ann', 'bob', 'cy'][c % 3] ?? '',
      chat: isMail ? `t${index}` : `c${d % 3}`,
      source: isMail ? 'work' : 'irc',
      isOwn: e % 7 === 0,
      isReply: !isMail && e % 5 === 0,
      isImage: d % 11 === 0,
      ...(isMail
        ? { mail: { isSeen: b % 4 > 0, isFlagged: c % 50 === 0, folder: e % 2 === 0 ? 'inbox' : 'archive' } }
        : {}),
    };
  });
}

async function fill(store: Store, samples: readonly Sample[]): Promise<void> {
  const chats = samples.filter(({ mail }) => !mail);
  const events = chats.map((sample) => ({ kind: 'message', message: toMessage(sample) }) as const);
  await store.messages.record({ source: 'irc', events, origin: 'import' });
  const remote = (['inbox', 'archive'] as const).map((role) => ({
    path: role,
    names: [role],
    isSelectable: true,
    role,
  }));
  for (const { key, path } of await store.email.mail.saveFolders('work', remote)) {
    const mails = samples.filter(({ mail }) => mail?.folder === path).map(toMail);
    await store.email.mail.record({ account: 'work', folder: key, mails, origin: 'older' });
  }
}

function toMessage({ at, words, sender, chat, isOwn, isReply, isImage }: Sample): InboundMessage {
  return {
    chat: { id: chat, type: 'group' },
    id: String(at),
    sender: { id: sender, name: sender },
    text: words.join(' '),
    at,
    isOwn,
    contentType: isImage ? 'image' : 'text',
    ...(isReply ? { replyTo: 'x' } : {}),
  };
}

function toMail({ at, words, sender, isOwn, isImage, mail }: Sample) {
  const flags = [...(mail?.isSeen ? ['\\Seen'] : []), ...(mail?.isFlagged ? ['\\Flagged'] : [])];
  const attachments = isImage ? [{ part: '2', mime: 'image/png', type: 'image' as const, isInline: false }] : [];
  const from = [{ name: sender, address: sender }];
  const email = { from, subject: '', text: words.join(' '), date: at, attachments };
  return { ...mailToStore((at - START) / HOUR + 1, { flags, receivedAt: at, email }), isOwn };
}
