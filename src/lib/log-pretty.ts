import { isRecord } from './is-record.ts';
import { visible } from './visible.ts';

const COLOURS: Readonly<Record<string, number>> = { trace: 90, debug: 36, info: 32, warn: 33, error: 31 };

/** A JSON line of the log in readable form. */
export function prettyLine(json: string, colour: boolean): string {
  const { level, time, service: _, component, msg, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const { stack, ...error } = isRecord(err) ? err : {};
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const words = [
    paint(90, String(time).slice(11, 23)),
    paint(COLOURS[String(level)] ?? 0, String(level).toUpperCase().padEnd(5)),
    ...(component === undefined ? [] : [`${shown(component)}:`]),
    shown(msg),
    ...Object.entries(fields).map(([key, value]) => paint(90, `${shown(key)}=${shown(value)}`)),
    ...(isRecord(err) ? [paint(COLOURS.error ?? 0, `err=${shown(error)}`)] : []),
  ];
  const lines =
    typeof stack === 'string'
      ? stack
          .split('\n')
          .slice(1)
          .map((line) => `\n    ${shown(line.trim())}`)
      : [];
  return `${words.join(' ')}${lines.join('')}\n`;
}

function shown(value: unknown): string {
  return visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
