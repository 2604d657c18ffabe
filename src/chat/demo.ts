import type { ChatType, InboundEvent } from '../domain/chat.ts';

/** A source with sample messages, for a home where nothing is configured yet. Messages can be posted to it. */
export const DEMO = { id: 'demo', kind: 'webhook', name: 'Demo', settings: {} };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface DemoChat {
  name: string;
  type: ChatType;
  /** Milliseconds before now, sender, text, and the index of the line that it answers. */
  lines: readonly (readonly [before: number, sender: string, text: string, answers?: number])[];
}

const CHATS: readonly DemoChat[] = [
  {
    name: 'Antti',
    type: 'direct',
    lines: [
      [6 * DAY, 'Antti', 'Moi! Are you coming to Tampere for the release party?'],
      [6 * DAY - 4 * MINUTE, 'Me', 'Yes, by the train that arrives at 16:40 🚆'],
      [6 * DAY - 6 * MINUTE, 'Antti', 'Great. I’ll book a table at eight. Any allergies?'],
      [6 * DAY - 9 * MINUTE, 'Me', 'None. Sauna afterwards?', 2],
      [6 * DAY - 10 * MINUTE, 'Antti', 'Always. Pyyhe mukaan!'],
      [2 * DAY, 'Antti', 'The meeting with the printer moved to Thursday 10:00.'],
      [2 * DAY - 30 * MINUTE, 'Me', 'Thursday works. Can you send me the last proof before?', 5],
      [2 * DAY - 35 * MINUTE, 'Antti', 'Sent it by email, subject “Proof 3”.'],
      [3 * HOUR, 'Antti', 'Did you have a look at the proof? The cover is a bit dark.'],
    ],
  },
  {
    name: 'Family',
    type: 'group',
    lines: [
      [5 * DAY, 'Mum', 'Grandma turns 90 on the 28th. Who can bring the cake?'],
      [5 * DAY - 20 * MINUTE, 'Noor', 'Me! Apple or chocolate?', 0],
      [5 * DAY - 22 * MINUTE, 'Me', 'Chocolate 🍫', 1],
      [5 * DAY - 40 * MINUTE, 'Dad', 'Apple. She asked for apple.'],
      [5 * DAY - 41 * MINUTE, 'Noor', 'Both then 🎂'],
      [DAY, 'Mum', 'Please tell me until tomorrow how many you will be. The room holds 25.'],
      [DAY - HOUR, 'Me', 'Two of us.', 5],
      [20 * HOUR, 'Dad', 'The heating engineer comes on Friday morning, somebody has to be at home.'],
    ],
  },
  {
    name: 'Ops',
    type: 'group',
    lines: [
      [3 * DAY, 'Grace', 'Deploying 2.14 to staging now.'],
      [3 * DAY - 12 * MINUTE, 'Grace', 'Staging is green. Error rate 0.02 %, p99 84 ms.'],
      [3 * DAY - 20 * MINUTE, 'Ibrahim', 'The migration of the orders table took 41 s, fine for the window.'],
      [DAY, 'Grace', 'Production gets 2.14 today at 14:00 UTC. Any objections?'],
      [DAY - 3 * MINUTE, 'Ibrahim', 'None, but please keep the feature flag “new-checkout” off.', 3],
      [DAY - 5 * MINUTE, 'Yuki', '了解です。チェックアウトのフラグはオフのままにします。'],
      [22 * HOUR, 'Grace', 'Rolled out. Watching the dashboards.'],
      [21 * HOUR, 'Yuki', 'Alert: queue depth above 10,000 since 14:52.'],
      [
        21 * HOUR - 2 * MINUTE,
        'Ibrahim',
        'That is the invoice job, it retries a broken customer record for ever. Pausing it.',
        7,
      ],
      [21 * HOUR - 15 * MINUTE, 'Ibrahim', 'Record repaired, queue is draining. Post-mortem tomorrow at 9.'],
      [
        2 * HOUR,
        'Grace',
        'Post-mortem notes are in the wiki. Action items: retry limit (Ibrahim), alert at 2,000 (Yuki).',
      ],
    ],
  },
  {
    name: 'Announcements',
    type: 'channel',
    lines: [
      [4 * DAY, 'Release bot', 'Version 2.14 is out: faster search, dark theme, 37 fixes.'],
      [DAY, 'Release bot', 'Maintenance on Sunday from 02:00 to 03:00 UTC.'],
    ],
  },
];

/** A small history that ends shortly before `now`. */
export function demoHistory(now: number): InboundEvent[] {
  return CHATS.flatMap(({ name, type, lines }) =>
    lines.map(
      ([before, sender, text, answers], index): InboundEvent => ({
        kind: 'message',
        message: {
          chat: { id: name.toLowerCase(), name, type, participantCount: new Set(lines.map(([, who]) => who)).size },
          id: `${name.toLowerCase()}-${index + 1}`,
          sender: { id: sender.toLowerCase(), name: sender },
          isOwn: sender === 'Me',
          text,
          at: now - before,
          ...(answers === undefined ? {} : { replyTo: `${name.toLowerCase()}-${answers + 1}` }),
        },
      }),
    ),
  ).sort((a, b) => timestampOf(a) - timestampOf(b));
}

function timestampOf(event: InboundEvent): number {
  return event.kind === 'message' ? event.message.at : 0;
}
