import type { Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../domain/json.ts';
import { createFramer } from '../../lib/framing.ts';
import { jsonLine } from '../../lib/json-line.ts';
import { asNoise, DEFAULT_MAX_MESSAGE_BYTES, isMessage, messagesIn } from './protocol.ts';
import { type TransportReceiver, UpstreamFailure, type UpstreamTransport } from './upstream.ts';

export interface StdioTransportOptions {
  stdin: Writable;
  stdout: Readable;
  /** A longer line of the server is skipped. */
  maxMessageBytes?: number;
}

/** What a server wrote before it ended may still have to be read when its input is gone. */
const LAST_WORDS_MS = 1_000;
/** A server that leaves more unread is not going to read it: its connection ends. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** So many messages are written together, so that the server works on them while more arrive. */
const BATCH = 8;

/** One JSON message per line, over the standard streams of a server. Closing ends its input; the process is not ours. */
export function createStdioTransport(options: StdioTransportOptions): UpstreamTransport {
  const { stdin, stdout, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = options;
  let receiver: TransportReceiver | undefined;
  let ended = false;
  let lines = '';
  let count = 0;
  let isInTurn = false;
  const framer = createFramer({
    maxLineBytes: maxMessageBytes,
    idOf: 'answer',
    onFrame(frame) {
      if (frame.kind === 'message') deliver(frame.message);
      else if (frame.kind === 'malformed') receiver?.onNoise(asNoise(frame.text));
      else receiver?.onTooLarge(frame.id);
    },
  });

  function deliver(value: unknown): void {
    if (isMessage(value)) return receiver?.onMessage(value);
    const messages = messagesIn(value);
    if (messages.length === 0) receiver?.onNoise(asNoise(jsonText(value)));
    for (const message of messages) receiver?.onMessage(message);
  }

  function end(cause?: UpstreamFailure): void {
    if (ended) return;
    ended = true;
    lines = '';
    stdout.off('data', framer.push).resume();
    receiver?.onClosed(cause);
  }

  function onEnd(): void {
    if (!ended) framer.end();
    end();
  }

  function onInputGone(): void {
    if (!ended) setTimeout(onEnd, LAST_WORDS_MS).unref();
  }

  function flush(): void {
    const text = lines;
    lines = '';
    count = 0;
    if (!ended && text !== '') stdin.write(text);
  }

  function endTurn(): void {
    isInTurn = false;
    flush();
  }

  return {
    open(to) {
      receiver = to;
      stdin.on('error', onInputGone).once('close', onInputGone);
      stdout.on('data', framer.push).once('end', onEnd).once('close', onEnd).on('error', onEnd);
      if (stdout.destroyed || stdout.readableEnded) onEnd();
    },
    send(message: JsonObject) {
      if (ended) return;
      lines += `${jsonLine(JSON.stringify(message))}\n`;
      if (stdin.writableLength + lines.length > MAX_UNREAD_BYTES) {
        end(new UpstreamFailure('closed', 'The server does not read its input.'));
        return;
      }
      // The first message of a turn of the event loop is not delayed. Those after it are written together: a system call for
      // each would cost most of the time.
      if (!isInTurn) {
        isInTurn = true;
        setImmediate(endTurn);
        flush();
        return;
      }
      count += 1;
      if (count >= BATCH) flush();
      return;
    },
    async close() {
      flush();
      end();
      stdin.end();
    },
  };
}

/** What is nested too deeply can be parsed, but not written. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return 'JSON that is nested too deeply';
  }
}
