import type { AddressInfo } from 'node:net';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Sending } from '../../../src/chat/sending.ts';
import type { Outgoing, Sent } from '../../../src/connectors/connector.ts';

type Question = { number: number; kind: 'send'; outgoing: Outgoing } | { number: number; kind: 'look'; id: string };

/** A network on a loopback port that stores what it receives, and answers after a short delay. */
export async function openLoopback(after: (close: () => void) => void) {
  const taken: Outgoing[] = [];
  const server = createServer((socket) => {
    const lines = createInterface(socket);
    // Clients are killed in the middle of a line.
    lines.on('error', () => {});
    lines.on('line', (line) => {
      const question = JSON.parse(line) as Question;
      if (question.kind === 'send') taken.push(question.outgoing);
      const id = question.kind === 'send' ? question.outgoing.id : question.id;
      const found = taken.some((outgoing) => outgoing.id === id);
      const answer = `${JSON.stringify({ number: question.number, ...(found ? { id: `net-${id}` } : {}) })}\n`;
      setTimeout(() => void (socket.destroyed || socket.write(answer)), Math.random() * 10);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, taken };
}

/** A client of it, for one process. */
export function connectLoopback(port: number): Pick<Sending, 'send' | 'wasSent'> & { close(): void } {
  const waiting = new Map<number, (answer: Sent) => void>();
  const socket: Socket = connectTo(port, '127.0.0.1');
  let numbers = 0;
  createInterface(socket).on('line', (line) => {
    const { number, id } = JSON.parse(line) as { number: number; id?: string };
    waiting.get(number)?.({ kind: 'sent', ...(id === undefined ? {} : { id }) });
    waiting.delete(number);
  });
  const ask = (question: object): Promise<Sent> =>
    new Promise((resolve) => {
      numbers += 1;
      waiting.set(numbers, resolve);
      socket.write(`${JSON.stringify({ ...question, number: numbers })}\n`);
    });
  return {
    async send(_, outgoing) {
      // Sometimes the network requests a retry.
      if (Math.random() < 0.1) return { kind: 'not-sent', reason: 'Not just now.', retry: true };
      return ask({ kind: 'send', outgoing });
    },
    async wasSent(_, { id }) {
      const answer = await ask({ kind: 'look', id });
      return answer.id === undefined ? { kind: 'absent' } : answer;
    },
    close: () => socket.destroy(),
  };
}
