import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A received line, parsed as far as tests need it. */
export interface SeenLine {
  raw: string;
  tags: Record<string, string>;
  nick: string;
  command: string;
  params: string[];
}

interface UserOptions {
  nick: string;
  /** Registers an account of this name, or signs in to it, with `pw-<name>`. */
  account?: string;
  serverPassword?: string;
}

const CAPABILITIES =
  'batch message-tags server-time echo-message labeled-response account-tag draft/message-redaction standard-replies';
const LIMIT_MS = 60_000;

/** A user on an IRC server, whose client reads and writes raw lines. */
export async function ircUser(port: number, { nick, account, serverPassword }: UserOptions) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const seen: SeenLine[] = [];
  const listeners = new Set<(line: SeenLine) => void>();
  let labels = 0;
  const lines = createInterface(socket).on('error', () => {});
  lines.on('line', (raw) => {
    const line = parse(raw);
    if (line.command === 'PING') write(`PONG :${line.params.at(-1)}`);
    seen.push(line);
    for (const listener of listeners) listener(line);
  });

  function write(line: string): void {
    socket.write(`${line}\r\n`);
  }

  /** The first line that matches, among those received and those to come. */
  function line(what: string, fits: (line: SeenLine) => boolean, from = 0): Promise<SeenLine> {
    const known = seen.slice(from).find(fits);
    if (known) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<SeenLine>();
    const listener = (next: SeenLine) => fits(next) && resolve(next);
    const timer = setTimeout(() => reject(new Error(`${nick} never saw ${what}`)), LIMIT_MS);
    listeners.add(listener);
    return promise.finally(() => {
      clearTimeout(timer);
      listeners.delete(listener);
    });
  }

  /** Sends a labeled command; returns the line that answers it. */
  function ask(command: string, tags = ''): Promise<SeenLine> {
    const label = `t${++labels}`;
    write(`@label=${label}${tags === '' ? '' : `;${tags}`} ${command}`);
    return line(`an answer to ${command}`, (answer) => answer.tags.label === label);
  }

  await once(socket, 'connect');
  if (serverPassword !== undefined) write(`PASS :${serverPassword}`);
  write(`CAP REQ :${CAPABILITIES}`);
  write(`NICK ${nick}`);
  write(`USER ${nick} 0 * :${nick}`);
  if (account !== undefined) write(`REGISTER * * pw-${account}`);
  write('CAP END');
  await line('a welcome', ({ command }) => command === '376' || command === '422');

  return {
    seen,
    write,
    writeBytes: (bytes: Buffer) => void socket.write(bytes),
    line,
    ask,
    async join(channel: string): Promise<void> {
      write(`JOIN ${channel}`);
      await line(`joining ${channel}`, (answer) => answer.command === '366');
    },
    /** Sends a message; returns its id. */
    async say(target: string, text: string, tags = ''): Promise<string> {
      const { tags: given, raw } = await ask(`PRIVMSG ${target} :${text}`, tags);
      if (given.msgid === undefined) throw new Error(`the server did not take it: ${raw}`);
      return given.msgid;
    },
    async close(): Promise<void> {
      if (socket.closed) return;
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    },
  };
}

export type IrcUser = Awaited<ReturnType<typeof ircUser>>;

function parse(raw: string): SeenLine {
  const [, tagText = '', prefix = '', command = '', rest = ''] =
    /^(?:@(\S+) +)?(?::(\S+) +)?(\S+)(.*)$/.exec(raw) ?? [];
  const [middle = '', ...trailing] = rest.split(' :');
  const params = middle.trim() === '' ? [] : middle.trim().split(/ +/);
  if (trailing.length > 0) params.push(trailing.join(' :'));
  const tags = Object.fromEntries(
    tagText
      .split(';')
      .filter(Boolean)
      .map((tag) => {
        const [key = '', ...value] = tag.split('=');
        return [key, value.join('=')] as const;
      }),
  );
  return { raw, tags, nick: prefix.split('!')[0] ?? '', command, params };
}
