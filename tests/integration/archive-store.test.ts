import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { importArchive } from '../../src/connectors/archive/import-archive.ts';
import { ARCHIVE_FORMATS } from '../../src/domain/archive.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { exportSamples } from '../support/archives/export-samples.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const samples = exportSamples(folder);
const EXPECTED = {
  slack: { added: 5, chats: 2 },
  discord: { added: 2, chats: 1 },
  irc: { added: 4, chats: 1 },
  mbox: { added: 3, chats: 2 },
} as const;

describe('an export in the store', () => {
  for (const format of ARCHIVE_FORMATS.filter((each) => each in EXPECTED) as (keyof typeof EXPECTED)[]) {
    test(`of ${format} is stored once, however often it is imported`, async () => {
      const store = await openStore({ url: 'sqlite::memory:', home: '', clock: systemClock, log: silentLog });
      const run = () =>
        importArchive(
          { record: (events) => store.archives.record(format, events), finish: store.archives.finish },
          { format, path: samples[format], timeZone: 'UTC' },
          { signal: new AbortController().signal, progress() {}, async begin() {} },
        );

      const [first, again] = [await run(), await run()];
      const { count } = await store.messages.extent(format);
      await store.close();

      const { added, chats } = EXPECTED[format];
      assert.partialDeepStrictEqual(first, { added, chats });
      assert.partialDeepStrictEqual(again, { added: 0, changed: 0, chats });
      assert.equal(count, added);
    });
  }
});
