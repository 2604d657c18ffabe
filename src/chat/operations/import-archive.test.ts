import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { contextWith, silentLog } from '../../../tests/support/operation-context.ts';
import { openStore } from '../../../tests/support/store/open-store.ts';
import type { ImportReport, ImportRequest } from '../../domain/archive.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { machineTimeZone } from '../../lib/local-time.ts';
import type { SourceRow } from '../ports.ts';
import type { SourceView } from '../sources.ts';
import { type ImportParts, importArchive } from './import-archive.ts';

const REPORT: ImportReport = {
  added: 5,
  changed: 0,
  known: 2,
  chats: 1,
  skipped: [],
  unread: { count: 0, places: [] },
  assumed: {},
};

describe('importing an archive', () => {
  test('a new source is named after the format, and created with the first record', async () => {
    const { parts, requests, reloads } = await partsFor({});

    const output = await run({ kind: 'telegram', path: '/x/result.json' }, parts);

    assert.deepEqual(output, { source: 'telegram', format: 'telegram', ...REPORT });
    const [row] = await parts.sourceRepository.list();
    assert.deepEqual(
      [row?.id, row?.kind, row?.name, row?.settings],
      ['telegram', 'archive', 'Telegram archive', { format: 'telegram' }],
    );
    assert.deepEqual(requests, [
      { format: 'telegram', path: '/x/result.json', source: 'telegram', timeZone: machineTimeZone() },
    ]);
    assert.equal(reloads(), 1);
  });

  test('options of the user are passed to the importer', async () => {
    const { parts, requests } = await partsFor({});
    const said = { source: 'kin', name: 'Kin', time_zone: 'Asia/Tokyo', date_order: 'mdy', chat: 'Family', me: 'Bo' };

    await run({ kind: 'whatsapp', path: '/x.txt', ...said }, parts);

    const [row] = await parts.sourceRepository.list();
    assert.deepEqual([row?.id, row?.name], ['kin', 'Kin']);
    assert.deepEqual(requests, [
      {
        format: 'whatsapp',
        path: '/x.txt',
        source: 'kin',
        timeZone: 'Asia/Tokyo',
        dateOrder: 'mdy',
        chat: 'Family',
        me: 'Bo',
      },
    ]);
  });

  test('patterns of log lines are passed on, and refused for other exports', async () => {
    const { parts, requests } = await partsFor({});

    await run({ kind: 'irc', path: '/x', format: '{time} {nick} {text}' }, parts);
    await run({ kind: 'irc', path: '/x', format: ['{time} {nick}: {text}', '{time} * {nick} {action}'] }, parts);

    assert.deepEqual(
      requests.map(({ lineFormats }) => lineFormats),
      [['{time} {nick} {text}'], ['{time} {nick}: {text}', '{time} * {nick} {action}']],
    );
    await assert.rejects(run({ kind: 'slack', path: '/x', format: '{text}', source: 's' }, parts), {
      code: 'INVALID_PARAMETER',
      field: 'format',
    });
  });

  test('a path is relative to the working directory of the caller', async () => {
    const { parts, requests } = await partsFor({});

    await run({ kind: 'irc', path: 'logs' }, { ...parts, origin: { pid: 1, cwd: '/home/me' } });

    assert.equal(requests[0]?.path, '/home/me/logs');
  });

  test('an archive of the same format is extended', async () => {
    const { parts, reloads } = await partsFor({ rows: [rowOf('telegram', 'telegram')] });

    await run({ kind: 'telegram', path: '/x' }, parts);

    assert.equal((await parts.sourceRepository.list()).length, 1);
    assert.equal(reloads(), 0);
  });

  test('an archive in the configuration accepts any format', async () => {
    const { parts, requests } = await partsFor({ others: [viewOf('old', 'archive')] });

    await run({ kind: 'slack', path: '/x', source: 'old' }, parts);

    assert.equal(requests.length, 1);
    assert.deepEqual(await parts.sourceRepository.list(), []);
  });

  for (const [what, given] of [
    ['a connected network', { others: [viewOf('telegram', 'telegram')] }],
    ['an archive of another format', { rows: [rowOf('telegram', 'slack')] }],
    ['messages of a source that is no longer configured', { data: ['telegram'] }],
  ] as const) {
    test(`an id that belongs to ${what} is refused, and another id is suggested`, async () => {
      const { parts, requests } = await partsFor(given);

      await assert.rejects(run({ kind: 'telegram', path: '/x' }, parts), {
        code: 'CONFLICT',
        field: 'source',
        hint: 'Choose another id: --source telegram-archive',
      });
      assert.deepEqual(requests, []);
    });
  }

  test('a source that another process has added meanwhile is continued, unless it holds another format', async () => {
    const { parts } = await partsFor({});
    const adding = (format: string): ImportParts => ({
      ...parts,
      imports: {
        async run(request, { begin }) {
          await parts.sourceRepository.add(rowOf(request.source, format));
          await begin();
          return REPORT;
        },
      },
    });

    const continued = await run({ kind: 'irc', path: '/x', source: 'a' }, adding('irc'));
    const refused = run({ kind: 'irc', path: '/x', source: 'b' }, adding('slack'));

    assert.equal(continued.added, REPORT.added);
    await assert.rejects(refused, {
      code: 'CONFLICT',
      message: "The source 'b' holds an archive of another format.",
      hint: 'Choose another id: --source b-archive',
    });
  });

  test('a failure after the first messages says that these are kept', async () => {
    const { parts } = await partsFor({});
    const full = new AppError('SERVICE_UNAVAILABLE', 'The disk is full.', { hint: 'Free some space.' });
    const failing = (isEarly: boolean): ImportParts => ({
      ...parts,
      imports: {
        async run(_, { begin }) {
          if (!isEarly) await begin();
          throw full;
        },
      },
    });

    await assert.rejects(run({ kind: 'irc', path: '/x' }, failing(true)), full);
    await assert.rejects(run({ kind: 'irc', path: '/x' }, failing(false)), {
      code: full.code,
      message: full.message,
      hint: 'Free some space. What was read so far is kept: run the import again for the rest.',
    });
  });

  test('invalid input is refused before anything is read', () => {
    for (const wrong of [
      { kind: 'icq', path: '/x' },
      { kind: 'irc', path: '' },
      { kind: 'irc', path: '/x', source: 'Not An Id' },
      { kind: 'irc', path: '/x', source: 'human' },
      { kind: 'irc', path: '/x', time_zone: 'Mars/Olympus' },
      { kind: 'irc', path: '/x', date_order: 'ydm' },
    ]) {
      assert.equal(importArchive.input.safeParse(wrong).success, false, JSON.stringify(wrong));
    }
  });

  test('is rendered as text', () => {
    const output = {
      source: 'wa',
      format: 'whatsapp',
      ...REPORT,
      changed: 1,
      skipped: [{ reason: 'It has no id.', count: 9, examples: ['a:1', 'a:2', 'a:3'] }],
      unread: { count: 9, places: ['a:1', 'a:2', 'a:3', 'a:4'] },
      assumed: { time_zone: 'Asia/Tokyo', date_order: 'dmy' },
    };

    assert.deepEqual(importArchive.render?.(output).split('\n'), [
      'wa: 5 added, 1 changed, 2 known already, in 1 chat.',
      'Skipped 9: It has no id. (a:1; a:2; a:3; …)',
      'Times without a zone were read as those of Asia/Tokyo (--time-zone).',
      'Dates were read as dmy (--date-order).',
      'Could not be read: 9, the first at a:1; a:2; a:3; a:4; …',
    ]);
  });
});

interface Given {
  rows?: readonly SourceRow[];
  others?: readonly SourceView[];
  /** Sources that have messages. */
  data?: readonly string[];
}

async function partsFor({ rows = [], others = [], data = [] }: Given) {
  const store = await openStore({ url: 'sqlite::memory:', home: '/', clock: systemClock, log: silentLog });
  after(() => store.close());
  for (const row of rows) await store.sources.add(row);
  for (const source of data) {
    await store.messages.record({ source, events: [{ kind: 'chat', chat: { id: 'c' } }], origin: 'import' });
  }
  const requests: ImportRequest[] = [];
  let reloads = 0;
  const list = async () => [...others, ...(await store.sources.list()).map(({ id, kind }) => viewOf(id, kind))];
  const parts: ImportParts = {
    sources: { list, describe: list, find: async (id) => (await list()).find((view) => view.id === id) },
    sourceRepository: store.sources,
    imports: {
      async run(request, { begin }) {
        requests.push(request);
        await begin();
        return REPORT;
      },
    },
    clock: systemClock,
    reloadSources: async () => void reloads++,
  };
  return { parts, requests, reloads: () => reloads };
}

function run(input: object, parts: ImportParts & { origin?: { pid: number; cwd: string } }) {
  return importArchive.run(importArchive.input.parse(input), contextWith(parts));
}

function rowOf(id: string, format: string): SourceRow {
  return { id, kind: 'archive', name: id, settings: { format }, createdAt: 1 };
}

function viewOf(id: string, kind: string): SourceView {
  return {
    id,
    kind,
    name: id,
    isConnected: true,
    canStream: false,
    canSend: false,
    configuredIn: 'store',
    state: 'ready',
    howToConnect: '',
    everSynced: true,
    messages: 0,
  };
}
