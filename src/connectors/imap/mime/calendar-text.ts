/** Fields of an invitation (RFC 5545) that a reader wants, in this order. */
const FIELDS: readonly [name: string, label: string][] = [
  ['METHOD', 'Method'],
  ['SUMMARY', 'Event'],
  ['DTSTART', 'Begins'],
  ['DTEND', 'Ends'],
  ['LOCATION', 'Place'],
  ['ORGANIZER', 'Organizer'],
  ['DESCRIPTION', 'Description'],
];

/** An invitation as text, for emails that have nothing else. */
export function calendarText(calendar: string): string {
  const lines = calendar.replaceAll(/\n[ \t]/g, '').split('\n');
  const event = lines.findIndex((line) => /^BEGIN:V(?:EVENT|TODO)/i.test(line));
  const found = new Map<string, string>();
  for (const line of [...lines.slice(0, event === -1 ? undefined : event), ...lines.slice(event + 1)]) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/i.exec(line) ?? [];
    if (value !== '' && !found.has(name.toUpperCase())) found.set(name.toUpperCase(), value);
  }
  return FIELDS.flatMap(([name, label]) => {
    const value = found.get(name);
    return value === undefined ? [] : [`${label}: ${shown(name, value)}`];
  }).join('\n');
}

function shown(name: string, value: string): string {
  if (name === 'ORGANIZER') return value.replace(/^mailto:/i, '');
  if (name.startsWith('DT')) return value.replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/, readableTime);
  return value.replaceAll(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

function readableTime(_: string, ...[year, month, day, hour, minute, zone]: (string | undefined)[]): string {
  const date = `${year}-${month}-${day}`;
  return hour === undefined ? date : `${date} ${hour}:${minute}${zone === 'Z' ? ' UTC' : ''}`;
}
