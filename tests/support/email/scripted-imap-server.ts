import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { MailServer as MailServerAddress } from '../../../src/connectors/mail-connector.ts';

/** What to send for a command, without its tag: lines, the last of them is the status. Undefined for the usual answer. */
type Script = (command: string) => string | undefined;

interface ScriptedOptions {
  greeting?: string;
  capabilities?: string;
  answer?: Script;
}

/** An IMAP server that says what a test wants it to, well-formed or not. */
export async function startScriptedImap(
  context: { after(end: () => void): void },
  { greeting = '* OK ready', capabilities = 'IMAP4rev1 UIDPLUS', answer }: ScriptedOptions,
): Promise<MailServerAddress> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.write(`${greeting}\r\n`, 'latin1');
    createInterface(socket).on('line', (line) => {
      const [tag = '', ...words] = line.split(' ');
      const command = words.join(' ');
      const text = answer?.(command) ?? usualAnswer(command, capabilities);
      const lines = text.split('\r\n');
      const status = lines.pop();
      socket.write([...lines, `${tag} ${status}\r\n`].join('\r\n'), 'latin1');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: false };
}

function usualAnswer(command: string, capabilities: string): string {
  if (command === 'CAPABILITY') return `* CAPABILITY ${capabilities}\r\nOK done`;
  if (command.startsWith('ENABLE')) return `* ENABLED ${command.slice('ENABLE '.length)}\r\nOK done`;
  if (/^(SELECT|EXAMINE) /.test(command)) {
    return '* 3 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 4] x\r\n* OK [HIGHESTMODSEQ 9] x\r\nOK [READ-ONLY] done';
  }
  if (command.startsWith('UID SEARCH')) return '* SEARCH 1 2 3\r\nOK done';
  if (command === 'LOGOUT') return '* BYE bye\r\nOK done';
  return 'OK done';
}
