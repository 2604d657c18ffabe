import { withDeadline } from '../../lib/deadline.ts';
import type { Outgoing, Sent } from '../connector.ts';
import { notSent, OutcomeError, unknown } from '../outcome-error.ts';
import type { IrcSession } from './client.ts';
import { type ChannelContext, isOwn } from './convert.ts';
import { isTarget, type OutgoingLine, type ParsedLine, splitText } from './line.ts';
import { ownIdTag } from './own-id.ts';

interface OutgoingParts {
  session: IrcSession;
  scope(): ChannelContext;
  flow: { pass(signal: AbortSignal): Promise<void> };
  answerMs: number;
  /** Bytes that the server adds before our line when it relays it. */
  prefixBytes(): number;
  /** Called with a sent message if the server does not echo it; returns the id it is stored with. */
  onUnheard(line: ParsedLine): string | undefined;
}

interface Question {
  label: string;
  line: OutgoingLine;
  id?: string;
  answer(sent: Sent): void;
  refuse(error: Error): void;
}

const MAX_LINE = 512;
const LINE_END_BYTES = 2;
const REFUSALS: Readonly<Record<string, string>> = {
  '401': 'Nobody of this name is there.',
  '403': 'There is no such channel.',
  '404': 'The channel does not let us write.',
  '442': 'We are not in this channel.',
  '477': 'The channel lets only those write who are signed in to an account.',
  '531': 'They do not take messages from us.',
};

/** Sends messages one after the other and determines the outcome of each. */
export function createOutgoing(parts: OutgoingParts) {
  const { session } = parts;
  let turn: Promise<unknown> = Promise.resolve();
  let asked: Question | undefined;
  let labels = 0;

  function send(outgoing: Outgoing, signal: AbortSignal): Promise<Sent> {
    const sent = turn.then(() => sendAll(outgoing, signal));
    turn = sent.catch(() => {});
    return sent;
  }

  async function sendAll(outgoing: Outgoing, signal: AbortSignal): Promise<Sent> {
    const lines = linesOf(outgoing);
    let first: Sent | undefined;
    for (const line of lines) {
      try {
        const sent = await sendLine(line, signal);
        first ??= sent;
      } catch (error) {
        // A part was sent and cannot be taken back, so the outcome is no longer `not-sent`.
        const isPartlySent = first && error instanceof OutcomeError;
        throw isPartlySent ? unknown('Only a part of the message was sent.', { cause: error }) : error;
      }
    }
    return first ?? { kind: 'sent' };
  }

  async function sendLine(line: OutgoingLine, signal: AbortSignal): Promise<Sent> {
    await parts.flow.pass(signal).catch((cause: unknown) => {
      throw notSent('The connection ended before it was sent.', { retry: true, cause });
    });
    const late = () => unknown('The server did not say in time whether it has the message.');
    try {
      return await withDeadline(parts.answerMs, signal, late, () => put(line));
    } finally {
      asked = undefined;
    }
  }

  function put(line: OutgoingLine): Promise<Sent> {
    const { promise, resolve, reject } = Promise.withResolvers<Sent>();
    const label = `said-${++labels}`;
    asked = { label, line, answer: resolve, refuse: reject };
    if (session.has('labeled-response')) {
      session.write({ ...line, tags: { ...line.tags, label } });
    } else {
      session.write(line);
      // The server answers in order: this reply means that all replies to the previous line have arrived.
      session.write({ command: 'PING', params: [label] });
    }
    return promise;
  }

  function linesOf({ id, chat, text, replyTo }: Outgoing): OutgoingLine[] {
    if (!isTarget(chat)) throw notSent('This is neither a channel nor a nickname.');
    const isAction = text.startsWith('/me ');
    const [before, after] = isAction ? ['\x01ACTION ', '\x01'] : ['', ''];
    const around = parts.prefixBytes() + Buffer.byteLength(`PRIVMSG ${chat} :${before}${after}`) + LINE_END_BYTES;
    const pieces = splitText(isAction ? text.slice('/me '.length) : text.replaceAll('\x01', ''), MAX_LINE - around);
    if (pieces.length === 0) throw notSent('There is nothing in the message that could be sent.');
    return pieces.map((piece, index) => ({
      command: 'PRIVMSG',
      params: [chat, `${before}${isAction ? piece.replaceAll('\x01', '') : piece}${after}`],
      ...(session.has('message-tags')
        ? { tags: { ...ownIdTag(id, index, pieces.length), ...(index === 0 ? answering(replyTo) : {}) } }
        : {}),
    }));
  }

  /** Receives every line that is not history. */
  function note(line: ParsedLine): void {
    if (!asked) return;
    const isLabelled = line.tags.label === asked.label;
    if (isRefusal(line, asked, isLabelled)) return asked.refuse(refusalOf(line));
    if (session.has('labeled-response')) {
      if (isLabelled) finish(asked, line.tags.msgid);
    } else if (isEcho(line, asked)) {
      if (line.tags.msgid !== undefined) asked.id ??= line.tags.msgid;
    } else if (line.command === 'PONG' && line.params.at(-1) === asked.label) {
      finish(asked, asked.id);
    }
  }

  function finish({ line, answer }: Question, msgid: string | undefined): void {
    const id = session.has('echo-message') ? msgid : parts.onUnheard(asHeard(line));
    answer({ kind: 'sent', ...(id === undefined ? {} : { id }) });
  }

  function asHeard({ command, params }: OutgoingLine): ParsedLine {
    return { tags: {}, nick: session.nick(), prefix: '', fromServer: false, command, params };
  }

  function isEcho(line: ParsedLine, { line: said }: Question): boolean {
    const { fold } = parts.scope();
    const [target = '', text] = line.params;
    return (
      line.command === said.command &&
      isOwn(line, parts.scope()) &&
      fold(target) === fold(said.params[0] ?? '') &&
      text === said.params[1]
    );
  }

  function isRefusal({ command, params }: ParsedLine, { line }: Question, isLabelled: boolean): boolean {
    if (command === '417') return true;
    const isError = /^[45]\d\d$/.test(command) || command === 'FAIL';
    if (isLabelled || session.has('labeled-response')) return isError && isLabelled;
    const { fold } = parts.scope();
    return isError && params.slice(1).some((param) => fold(param) === fold(line.params[0] ?? ''));
  }

  return { send, note };
}

function refusalOf({ command, params }: ParsedLine): OutcomeError {
  return notSent(REFUSALS[command] ?? 'The server did not take the message.', { cause: params.slice(1).join(' ') });
}

function answering(replyTo: string | undefined): Record<string, string> {
  return replyTo === undefined ? {} : { '+draft/reply': replyTo };
}
