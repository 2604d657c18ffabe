import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What happens at a point of the dialogue: a reply, no reply at all, or the end of the connection. */
export type Reaction = string | 'never' | 'cut';

export interface SmtpScript {
  greeting?: Reaction;
  /** Replies by the first word of a command. */
  commands?: Readonly<Record<string, Reaction>>;
  /** Replies to RCPT in their order; then the usual one. */
  recipients?: readonly Reaction[];
  /** After the line with the final dot. */
  content?: Reaction;
  /** As soon as this much of the content has arrived. */
  afterBytes?: { bytes: number; reaction: Reaction };
}

export interface ScriptedSmtpServer {
  port: number;
  /** Lines that the client sent, without the content. */
  readonly lines: readonly string[];
  /** The content that arrived, with its final dot. */
  readonly content: () => string;
  /** Resolves when the client has sent a line that matches, or the final dot. */
  received(pattern: RegExp | 'content'): Promise<void>;
  stop(): Promise<void>;
}

const USUAL: Readonly<Record<string, string>> = {
  EHLO: '250-mail.test\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME',
  AUTH: '235 2.7.0 ok',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  QUIT: '221 bye',
};

/** An SMTP server without TLS on loopback that answers as a script says. */
export async function startScriptedSmtpServer(script: SmtpScript = {}): Promise<ScriptedSmtpServer> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: { pattern: RegExp | 'content'; resolve: () => void }[] = [];
  let content = '';

  function note(what: string | 'content'): void {
    for (const { pattern, resolve } of waiting) {
      if (pattern === 'content' ? what === 'content' : pattern.test(what)) resolve();
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    const recipients = [...(script.recipients ?? [])];
    let [buffered, inContent] = ['', false];

    function command(line: string): void {
      lines.push(line);
      const verb = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? '';
      const scripted = verb === 'RCPT' ? recipients.shift() : undefined;
      const reaction = scripted ?? script.commands?.[verb] ?? USUAL[verb] ?? '500 what';
      react(socket, reaction);
      inContent = verb === 'DATA' && reaction.startsWith('3');
      note(line);
    }

    function takeContent(): boolean {
      const end = buffered.indexOf('\r\n.\r\n');
      const { afterBytes } = script;
      if (afterBytes && buffered.length >= afterBytes.bytes) {
        react(socket, afterBytes.reaction);
        return false;
      }
      if (end === -1) return false;
      content = buffered.slice(0, end + 5);
      buffered = buffered.slice(end + 5);
      inContent = false;
      react(socket, script.content ?? '250 2.0.0 queued');
      note('content');
      return true;
    }

    function takeLine(): boolean {
      const end = buffered.indexOf('\r\n');
      if (end === -1) return false;
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      command(line);
      return true;
    }

    socket.on('data', (chunk: string) => {
      buffered += chunk;
      while (inContent ? takeContent() : takeLine()) if (socket.destroyed) return;
    });
    react(socket, script.greeting ?? '220 mail.test ESMTP');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    lines,
    content: () => content,
    received(pattern) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ pattern, resolve });
      return promise;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function react(socket: Socket, reaction: Reaction): void {
  if (reaction === 'never') return;
  if (reaction === 'cut') socket.destroy();
  else socket.write(`${reaction}\r\n`);
}
