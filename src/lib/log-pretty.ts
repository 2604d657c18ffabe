import { isRecord } from './is-record.ts';

const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 36, info: 32, warn: 33, error: 31 };

/** Controls and marks of direction: they could forge a line or command the terminal. */
const HOSTILE = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A JSON line of the log in readable form. */
export function prettyLine(json: string, colour: boolean): string {
  const { level, time, service: _, component, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const { stack, ...error } = isRecord(err) ? err : {};
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const words = [
    paint(90, String(time).slice(11, 23)),
    paint(COLOURS[String(level)] ?? 0, String(level).toUpperCase().padEnd(5)),
    ...(component === undefined ? [] : [`${visible(component)}:`]),
    visible(msg),
    ...Object.entries(fields).map(([key, value]) => paint(90, `${visible(key)}=${visible(value)}`)),
    ...(isRecord(err) ? [paint(COLOURS.error ?? 0, `err=${visible(error)}`)] : []),
  ];
  const lines =
    typeof stack === 'string'
      ? stack
          .split('\n')
          .slice(1)
          .map((line) => `\n    ${visible(line.trim())}`)
      : [];
  return `${words.join(' ')}${lines.join('')}\n`;
}

function visible(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').replace(
    HOSTILE,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
