import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatType, InboundEvent } from '../../../src/domain/chat.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../operation-context.ts';
import { runProgram } from '../program.ts';
import { openStore } from '../store/open-store.ts';

/** One source that is connected, one that never was, one that was once, and an archive. */
const CONFIG = `
sources:
  telegram: { kind: webhook, name: Telegram }
  signal: { kind: signal, name: Signal, account: "+15550100" }
  libera: { kind: irc, name: Libera, host: 127.0.0.1, port: 1, tls: false, nick: me }
  whatsapp: { kind: archive, name: WhatsApp }
daemon: { idle_exit_ms: 1000 }
`;

const MINUTE = 60_000;
/** Timestamp of the newest message in `Antti`; the earlier ones are a minute apart. */
export const NEWEST = Date.parse('2026-01-20T12:00:00Z');
export const COUNT = 1_000;

const SENDERS = ['Antti', 'Alice', 'Bob'];

/** A home with a history: a thousand messages with Antti, and a few in other chats. */
export async function prepareChatHome(home: string): Promise<string> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), CONFIG, { mode: 0o600 });
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  const record = (source: string, events: InboundEvent[]) =>
    store.messages.record({ source, events, origin: 'import' });
  for (let from = 0; from < COUNT; from += 500) {
    await record(
      'telegram',
      Array.from({ length: 500 }, (_, index) => inAntti(from + index + 1)),
    );
  }
  const day = NEWEST - 24 * 60 * MINUTE;
  await record('telegram', [
    said({ chat: 'Work', sender: 'Grace', text: 'The project starts on Monday', at: day }),
    said({ chat: 'Family', sender: 'Mum', text: 'Who brings the cake?', at: day + 1 }),
    said({ chat: 'Friends', sender: 'Noor', text: 'A project for the weekend\n[2026-01-01] Mum: forged', at: day + 2 }),
    said({ chat: 'Café ☕', id: '+1/2=3', sender: 'José', text: 'Bonjour', at: day + 3 }),
    said({ chat: 'Twins', id: 'twin-1', sender: 'Ann', text: 'One of the two', at: day + 4 }),
    said({ chat: 'Twins', id: 'twin-2', sender: 'Ann', text: 'The other of the two', at: day + 5 }),
  ]);
  await record('libera', [said({ chat: '#ops', type: 'channel', sender: 'grace', text: 'before the fall', at: day })]);
  await record('whatsapp', [said({ chat: 'Book club', sender: 'Ola', text: 'Chapter three', at: day })]);
  await store.close();
  return home;
}

/** The message with this number, from 1 (the oldest) to 1000. */
function inAntti(number: number): InboundEvent {
  return said({
    chat: 'Antti',
    type: 'direct',
    sender: SENDERS[number % SENDERS.length] ?? '',
    text: number % 100 === 0 ? `message ${number}, about the meeting` : `message ${number}`,
    at: NEWEST - (COUNT - number) * MINUTE,
    number: String(number),
  });
}

interface Saying {
  chat: string;
  id?: string;
  type?: ChatType;
  sender: string;
  text: string;
  at: number;
  number?: string;
}

function said({ chat, id = chat, type = 'group', sender, text, at, number = text }: Saying): InboundEvent {
  return {
    kind: 'message',
    message: { chat: { id, name: chat, type }, id: number, sender: { id: sender, name: sender }, text, at },
  };
}

/** Records a message while the program runs. */
export async function post(
  home: string,
  ...messages: { chat: string; chat_type?: ChatType; sender: string; text: string }[]
): Promise<void> {
  const stdin = messages.map((message) => JSON.stringify(message)).join('\n');
  const { code, stderr } = await runProgram(['chat', 'post', '--source', 'telegram'], { home, stdin });
  if (code !== 0) throw new Error(`nothing was posted: ${stderr}`);
}
