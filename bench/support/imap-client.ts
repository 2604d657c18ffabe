import { once } from 'node:events';
import { connect } from 'node:net';

/** Another mail program of the same user, with as little overhead as possible. Commands run one after the other. */
export interface ImapClient {
  /** The lines of the answer, without their line ends. Throws if the server refuses. */
  command(text: string): Promise<readonly string[]>;
  append(folder: string, email: Uint8Array): Promise<void>;
  close(): void;
}

export interface ImapAddress {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** Signed in, with INBOX open. */
export async function openImapClient({ host, port, user, password }: ImapAddress): Promise<ImapClient> {
  const socket = connect(port, host).setNoDelay();
  await once(socket, 'connect');
  const lines = linesOf(socket);
  let lastTag = 0;

  async function command(text: string, literal?: Uint8Array): Promise<string[]> {
    lastTag += 1;
    const tag = `b${lastTag}`;
    socket.write(`${tag} ${text}\r\n`);
    if (literal) socket.write(Buffer.concat([literal, Buffer.from('\r\n')]));
    const answer: string[] = [];
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) throw new Error(`The IMAP server closed the connection after ${text.slice(0, 40)}.`);
      if (line.startsWith(`${tag} OK`)) return answer;
      if (line.startsWith(`${tag} `)) throw new Error(`The IMAP server refused ${text.slice(0, 40)}: ${line}`);
      answer.push(line);
    }
  }

  await command(`LOGIN ${user} ${password}`);
  await command('SELECT INBOX');
  return {
    command: (text) => command(text),
    async append(folder, email) {
      const bytes = Buffer.from(Buffer.from(email).toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
      await command(`APPEND ${folder} {${bytes.length}+}`, bytes);
    },
    close: () => void socket.destroy(),
  };
}

/** UIDs of the emails in INBOX that the server finds. */
export async function searchUids(client: ImapClient, criteria: string): Promise<number[]> {
  const found = (await client.command(`UID SEARCH ${criteria}`)).find((line) => line.startsWith('* SEARCH'));
  return found === undefined ? [] : found.split(' ').slice(2).map(Number);
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
