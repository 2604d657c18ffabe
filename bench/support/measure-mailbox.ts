import { createPostOffice } from '../../src/agentmail/delivery/post-office.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { fillMailbox, type Place, standIn } from './mail-places.ts';
import { plainMail } from './plain-mail.ts';
import type { Measure, Samples } from './report.ts';
import { roundRobin } from './rounds.ts';

const NAMES = ['a1', 'a2'];
const MESSAGE = 'x'.repeat(120);
const SIZES = [100, 4_000, 40_000];
const LARGEST = 40_000;

/** Sending letters to a mailbox, and receiving them. */
interface Mail {
  id: string;
  send(): Promise<void>;
  receive(): Promise<void>;
}

export function mailboxMeasures(places: readonly Place[]): Measure[] {
  return [
    ...places.flatMap(({ id, title }) =>
      SIZES.flatMap((size): Measure[] => [
        { id: `cycle/${id}/${size}`, title: `${title}, ${inWords(size)} letters: send and receive`, unit: 'ms' },
        { id: `receive/${id}/${size}`, title: `${title}, ${inWords(size)} letters: receive`, unit: 'ms' },
      ]),
    ),
    ...places.map(
      ({ id, title }): Measure => ({
        ...{ id: `growth/${id}`, unit: '×' },
        title: `${title}: receive with ${inWords(LARGEST)} letters to receive with ${SIZES[0]}`,
      }),
    ),
  ];
}

/** In mailboxes of several sizes, one letter after the other. */
export async function measureMailboxes(
  places: readonly Place[],
  { rounds, cycles }: { rounds: number; cycles: number },
  samples: Samples,
): Promise<void> {
  for (const place of places) {
    const mailboxes = SIZES.map((size) => ({ size, contenders: [ourMail(place, size), plainMailbox(place, size)] }));
    for (const { contenders } of mailboxes) for (const mail of contenders) await cycle(mail, 3);
    for (let round = 0; round < rounds; round++) {
      const received: Record<number, number> = {};
      for (const { size, contenders } of mailboxes) {
        await roundRobin(1, contenders, async (mail) => {
          const { whole, receive } = await cycle(mail, mail.id === 'ours' ? cycles : Math.ceil(cycles / 4));
          samples.add(`cycle/${place.id}/${size}`, mail.id, whole);
          samples.add(`receive/${place.id}/${size}`, mail.id, receive);
          if (mail.id === 'ours') received[size] = receive;
        });
      }
      samples.add(`growth/${place.id}`, 'ours', (received[LARGEST] ?? 0) / (received[SIZES[0] ?? 0] ?? 1));
    }
  }
}

/** Milliseconds of each, on average. */
async function cycle({ send, receive }: Mail, count: number): Promise<{ whole: number; receive: number }> {
  let [sending, receiving] = [0, 0];
  for (let index = 0; index < count; index++) {
    sending += await timed(send);
    receiving += await timed(receive);
  }
  return { whole: (sending + receiving) / count, receive: receiving / count };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function ourMail(place: Place, size: number): Mail {
  const root = place.repository();
  fillMailbox(root, 'a2', size);
  const post = createPostOffice({ clock: systemClock });
  const [sender, receiver] = [standIn(root, 'a1', NAMES), standIn(root, 'a2', NAMES)];
  return {
    id: 'ours',
    async send() {
      await post.send(sender, 'a2', MESSAGE);
    },
    async receive() {
      const taken = await post.take(receiver);
      if (!taken) throw new Error('a letter is lost');
      await taken.done();
    },
  };
}

function plainMailbox(place: Place, size: number): Mail {
  const path = fillMailbox(place.repository(), 'a2', size);
  return {
    id: 'plain',
    send: () => plainMail.send(path, { id: 'abcdefgh', from: 'a1', to: 'a2', message: MESSAGE }),
    async receive() {
      if (!(await plainMail.receive(path))) throw new Error('a letter is lost');
    },
  };
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}
