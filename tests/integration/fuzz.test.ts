import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { localPrincipal } from '../../src/domain/principal.ts';
import { serveStreams } from '../../src/mcp/stdio.ts';
import { openDoorParts } from '../conformance/serve.ts';
import { countBy, expectedAnswers } from '../support/mcp/expected-answers.ts';
import { hostileLine } from '../support/mcp/hostile-messages.ts';
import { type Message, request, stateless } from '../support/mcp/rpc-message.ts';
import { smallOffer } from '../support/mcp/small-offer.ts';

const CONNECTIONS = process.env.SOAK ? 2_000 : 300;
const LINES = 60;
const LIMIT = 16 * 1024;
/** Generous: only a hang takes this long. */
const HANG_MS = process.env.SOAK ? 1_800_000 : 240_000;

const { registry } = smallOffer();

test('no line breaks the connection, and every request is answered exactly once', { timeout: HANG_MS }, async () => {
  const { parts, close } = await openDoorParts({ maxLineBytes: LIMIT, requestTimeoutMs: 20_000 });
  const lines = fc.array(hostileLine(LIMIT), { minLength: LINES, maxLength: LINES });
  const seen = new Set<string>();

  await fc.assert(
    fc.asyncProperty(lines, fc.infiniteStream(fc.integer({ min: 1, max: 5_000 })), async (sent, cuts) => {
      const answers = await converse(parts, sent, cuts);

      for (const line of sent) seen.add(line.toString('latin1'));
      checkAnswers(sent, answers);
    }),
    { numRuns: CONNECTIONS },
  );
  await close();

  assert.ok(seen.size >= 10_000, `${seen.size} different lines were sent`);
});

type DoorParts = Parameters<typeof serveStreams>[0];

/** Sends the lines in chunks of any size, checks that the server still answers, and returns everything received. */
async function converse(parts: DoorParts, lines: readonly Buffer[], cuts: Iterator<number>): Promise<Message[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController().signal;
  const served = serveStreams(parts, { registry, principal: localPrincipal(), only: [], input, output, stop });
  const text = textOf(output);

  for (const chunk of chunksOf(lines, cuts)) input.write(chunk);
  // Whichever protocol version the connection uses, one of them has a result.
  input.write(`${JSON.stringify(request('tools/list', {}, 'still there'))}\n`);
  input.write(`${JSON.stringify(request('tools/list', stateless(), 'still there, statelessly'))}\n`);
  input.end();
  await served;
  output.end();
  return (await text)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message);
}

function* chunksOf(lines: readonly Buffer[], cuts: Iterator<number>): Generator<Buffer> {
  const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  for (let from = 0; from < bytes.length; ) {
    const to = from + cuts.next().value;
    yield bytes.subarray(from, to);
    from = to;
  }
}

async function textOf(stream: PassThrough): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString('utf8');
}

function checkAnswers(lines: readonly Buffer[], messages: readonly Message[]): void {
  const { most, least, complaints } = expectedAnswers(lines, LIMIT);
  const answers = messages.filter(({ method }) => method === undefined);
  const counts = countBy(answers.map(({ id = null }) => id));

  for (const [id, count] of counts) {
    if (id === null) assert.ok(count <= complaints, 'more errors without an id than invalid messages');
    else if (!OURS.has(id))
      assert.ok(count <= (most.get(id) ?? 0), `${JSON.stringify(id)} was answered ${count} times`);
  }
  for (const [id, count] of least) {
    assert.ok((counts.get(id) ?? 0) >= count, `${JSON.stringify(id)} was answered ${counts.get(id)} times of ${count}`);
  }
  assert.ok(
    answers.every(({ error }) => error?.data?.code !== 'TIMEOUT'),
    'a request was forgotten',
  );
  const foreign = answers.find(({ error }) => /"(code|expected)": "/.test(error?.message ?? ''));
  assert.equal(foreign, undefined, 'an answer contains the error text of a library');
  assert.ok(
    answers.some(({ id, result }) => OURS.has(id) && result),
    'nobody was there any more',
  );
}

const OURS: ReadonlySet<unknown> = new Set(['still there', 'still there, statelessly']);
