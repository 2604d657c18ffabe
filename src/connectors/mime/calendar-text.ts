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
const LINE = /^([a-z-]+)(?:;[^:]*)?:(.*)$/i;

/** An invitation as text, for emails that have nothing else. */
export function calendarText(calendar: string): string {
  const found = new Map<string, string>();
  let component = 'VCALENDAR';
  for (const line of calendar.replaceAll(/\n[ \t]/g, '').split('\n')) {
    const [, name = '', value = ''] = LINE.exec(line) ?? [];
    const field = name.toUpperCase();
    if (field === 'BEGIN') component = value.toUpperCase();
    // Time zones and alarms have times, too.
    else if (READ.has(component) && value !== '' && !found.has(field)) found.set(field, value);
  }
  return FIELDS.flatMap(([name, label]) => {
    const value = found.get(name);
    return value === undefined ? [] : [`${label}: ${shown(name, value)}`];
  }).join('\n');
}

const READ = new Set(['VCALENDAR', 'VEVENT', 'VTODO']);

function shown(name: string, value: string): string {
  if (name === 'ORGANIZER') return value.replace(/^mailto:/i, '');
  if (name.startsWith('DT')) return readableTime(value);
  return value.replaceAll(/\\([\\;,n])/gi, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

function readableTime(value: string): string {
  const [whole, year, month, day, hour, minute, zone] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(value) ?? [];
  if (whole === undefined) return value;
  const time = hour === undefined ? '' : ` ${hour}:${minute}${zone === 'Z' ? ' UTC' : ''}`;
  return `${year}-${month}-${day}${time}`;
}
