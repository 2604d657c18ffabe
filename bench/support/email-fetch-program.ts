// Fetches INBOX with the connection of the product and prints the milliseconds: HOST PORT USER PASSWORD EMAILS raw|parsed
import { imap } from '../../src/connectors/imap/index.ts';
import { signIn } from '../../src/connectors/imap/session/client.ts';
import { fetchRows } from '../../src/connectors/imap/session/fetch-rows.ts';
import { USUAL_LIMITS } from '../../src/connectors/imap/session/limits.ts';
import { createResponseReaders } from '../../src/connectors/imap/session/response-readers.ts';

const [host = '', port, user = '', password = '', emails, what] = process.argv.slice(2);
const server = { host, port: Number(port), tls: false };
const credentials = { user, password };
const { signal } = new AbortController();
/** As many as the product asks for at once. */
const SLICE = 500;

const startedAt = performance.now();
const fetched = what === 'raw' ? await fetchRaw() : await fetchParsed();
const ms = performance.now() - startedAt;
if (fetched !== Number(emails)) throw new Error(`${fetched} of ${emails} emails were fetched.`);
console.log(ms);
process.exit(0);

async function fetchRaw(): Promise<number> {
  const { client } = await signIn(server, credentials, signal, USUAL_LIMITS);
  const responses = createResponseReaders(client);
  const { uidNext } = await client.mailboxOpen('INBOX', { readOnly: true });
  let count = 0;
  for (let first = 1; first < uidNext; first += SLICE) {
    await fetchRows({ client, responses }, `${first}:${first + SLICE - 1}`, async ({ source }) => {
      if (source) count += 1;
    });
  }
  return count;
}

async function fetchParsed(): Promise<number> {
  const session = await imap.connect(server, credentials, { signal, log: { debug() {} } });
  const { uidNext } = await session.status('INBOX');
  let count = 0;
  await session.fetch('INBOX', { from: 1, to: uidNext - 1 }, async (batch) => {
    count += batch.length;
  });
  return count;
}
