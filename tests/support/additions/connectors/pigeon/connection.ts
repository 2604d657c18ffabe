import { once } from 'node:events';
import type { Connection, Host } from '../../../../../src/connectors/connector.ts';

export function openConnection({ loft }: { loft: string }, host: Host): Connection {
  async function carry(id: string, text: string, isOwn: boolean): Promise<void> {
    const message = {
      chat: { id: loft, name: `Loft ${loft}` },
      id,
      sender: { id: 'p1', name: 'Pigeon' },
      text,
      isOwn,
      at: host.clock.now(),
    };
    await host.accept([{ kind: 'message', message }]);
  }

  return {
    async run(signal) {
      host.connected();
      await carry('first', 'Coo.', false);
      if (!signal.aborted) await once(signal, 'abort');
      return undefined;
    },
    async send({ id, text }) {
      await carry(id, text, true);
      return { kind: 'sent', id };
    },
  };
}
