// Adds messages to an outbox and sends them to a loopback network until it is killed; prints each added message on standard
// output. Arguments: the home, the port of the network, and a name that no other run has; without a name it adds nothing and
// exits when nothing is left to send.
import { CHAT, chatSender, toPayload } from '../../../src/chat/sending.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { untilFound } from '../../../src/lib/until-found.ts';
import { createDispatch } from '../../../src/outbox/dispatch.ts';
import { silentLog } from '../operation-context.ts';
import { printLine } from '../print-line.ts';
import { openStore } from '../store/open-store.ts';
import { connectLoopback } from './loopback-network.ts';

const [home = '', port = '', name = ''] = process.argv.slice(2);
const CHATS = ['#a', '#b', '#c'];
/** Keeps a few items pending at all times. */
const MAX_WAITING = 20;

const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
await store.outbox.recover();
const network = connectLoopback(Number(port));
const dispatch = createDispatch({
  outbox: store.outbox,
  events: store.events,
  senders: new Map([[CHAT, chatSender({ ...network, log: silentLog })]]),
  checkPolicy: async () => ({ kind: 'allow' }),
  clock: systemClock,
  log: silentLog,
  graceMs: 100,
  intervalMs: 100,
});
dispatch.start();
if (name === '') await untilLeft(0);
else for (let number = 0; ; number += 1) await add(`${name}-${number}`, CHATS[number % CHATS.length] ?? '');
await dispatch.stop();
network.close();
await store.close();

async function add(text: string, chat: string): Promise<void> {
  await store.outbox.add({
    sender: CHAT,
    through: 'loopback',
    lane: chat,
    recipients: [{ id: chat, name: chat }],
    summary: text,
    payload: toPayload({ chat, text }),
    principal: 'local',
    state: 'queued',
  });
  printLine(text);
  await untilLeft(MAX_WAITING - 1);
}

/** Resolves when at most this many items are not finished. */
async function untilLeft(max: number): Promise<void> {
  const isReached = async () => (await left()) <= max || undefined;
  await untilFound(isReached, store.events.listen, new AbortController().signal);
}

async function left(): Promise<number> {
  return (await store.outbox.list({ states: ['queued', 'sending', 'uncertain'] })).length;
}
