// node bench/support/email-corpus-program.ts --to MAILDIR [--messages 20000] [--from 0] [--uid N --gid N]
import { parseArgs } from 'node:util';
import { createEmailCorpus } from './email-corpus.ts';
import { writeMaildir } from './email-maildir.ts';

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    messages: { type: 'string', default: '20000' },
    /** Continues a Maildir with the emails after these. */
    from: { type: 'string', default: '0' },
    uid: { type: 'string' },
    gid: { type: 'string' },
  },
});
if (values.to === undefined) throw new Error('Give the Maildir to write: --to FOLDER.');

const owner = values.uid === undefined ? undefined : { uid: Number(values.uid), gid: Number(values.gid ?? values.uid) };
const [from, count] = [Number(values.from), Number(values.messages)];
const startedAt = performance.now();
const size = writeMaildir(values.to, createEmailCorpus(20_000), { from, count, owner });
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
console.log(`${count} emails, ${(size / 1e6).toFixed(0)} MB, in ${seconds} s`);
