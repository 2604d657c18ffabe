/** How phones of one language write the header of a message. */
export interface WhatsappStyle {
  name: string;
  header(at: Date): string;
  /** Whether seconds are written. */
  seconds: boolean;
}

export interface WhatsappMessage {
  at: Date;
  sender?: string;
  text: string;
}

/** An export as a phone writes it. */
export function whatsappFile(style: WhatsappStyle, messages: readonly WhatsappMessage[], lineEnd = '\n'): string {
  return messages
    .map(({ at, sender, text }) => `${style.header(at)}${sender === undefined ? '' : `${sender}: `}${text}`)
    .join('\n')
    .replaceAll('\n', lineEnd);
}

const two = (value: number) => String(value).padStart(2, '0');
const twelve = (hour: number) => hour % 12 || 12;
const day = (at: Date) => at.getUTCDate();
const month = (at: Date) => at.getUTCMonth() + 1;
const year = (at: Date) => at.getUTCFullYear();
const clock = (at: Date) => `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
const clockTwelve = (at: Date) => `${twelve(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
const half = (at: Date, am: string, pm: string) => (at.getUTCHours() < 12 ? am : pm);
const inDigits = (zero: number) => (text: string) =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
const arabic = inDigits(0x660);
const persian = inDigits(0x6f0);
const devanagari = inDigits(0x966);
const inCalendar = (at: Date, calendar: string) => {
  const format = new Intl.DateTimeFormat('en', {
    calendar,
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const parts = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, Number.parseInt(value, 10)]),
  );
  return { year: parts.year, month: parts.month, day: parts.day };
};

/** The formats that phones are known to write. */
export const WHATSAPP_STYLES: readonly WhatsappStyle[] = [
  android(
    'English of the United States',
    (at) => `${month(at)}/${day(at)}/${year(at) % 100}, ${clockTwelve(at)}\u202f${half(at, 'AM', 'PM')}`,
  ),
  android('English of Britain', (at) => `${two(day(at))}/${two(month(at))}/${year(at)}, ${clock(at)}`),
  android(
    'English of Australia',
    (at) => `${day(at)}/${month(at)}/${year(at) % 100}, ${clockTwelve(at)} ${half(at, 'am', 'pm')}`,
  ),
  android('German', (at) => `${two(day(at))}.${two(month(at))}.${year(at) % 100}, ${clock(at)}`),
  android(
    'Spanish of Mexico',
    (at) => `${two(day(at))}/${two(month(at))}/${year(at) % 100} ${clockTwelve(at)} ${half(at, 'a. m.', 'p. m.')}`,
  ),
  android('French', (at) => `${two(day(at))}/${two(month(at))}/${year(at)} à ${clock(at)}`),
  android('Dutch', (at) => `${two(day(at))}-${two(month(at))}-${year(at)} ${clock(at)}`),
  android('Swedish', (at) => `${year(at)}-${two(month(at))}-${two(day(at))} ${clock(at)}`),
  android('Hungarian', (at) => `${year(at)}. ${two(month(at))}. ${two(day(at))}. ${clock(at)}`),
  android('Greek', (at) => `${day(at)}/${month(at)}/${year(at) % 100}, ${clockTwelve(at)} ${half(at, 'π.μ.', 'μ.μ.')}`),
  android('Turkish', (at) => `${day(at)}.${two(month(at))}.${year(at)} ${half(at, 'ÖÖ', 'ÖS')} ${clockTwelve(at)}`),
  android(
    'Chinese of Taiwan',
    (at) => `${year(at)}/${month(at)}/${day(at)} ${half(at, '上午', '下午')}${clockTwelve(at)}`,
  ),
  android('Japanese', (at) => `${year(at)}年${month(at)}月${day(at)}日 ${half(at, '午前', '午後')}${clockTwelve(at)}`),
  android('Korean', (at) => `${year(at)}년 ${month(at)}월 ${day(at)}일 ${half(at, '오전', '오후')} ${clockTwelve(at)}`),
  android('Arabic', (at) =>
    arabic(`${day(at)}\u200f/${month(at)}\u200f/${year(at)}، ${clockTwelve(at)} ${half(at, 'ص', 'م')}`),
  ),
  android('Persian', (at) => {
    const date = inCalendar(at, 'persian');
    return persian(`${date.year}/${date.month}/${date.day}،\u200f ${clock(at)}`);
  }),
  android('Arabic with the Islamic calendar', (at) => {
    const date = inCalendar(at, 'islamic-umalqura');
    return arabic(`${date.day}\u200f/${date.month}\u200f/${date.year} هـ، ${clockTwelve(at)} ${half(at, 'ص', 'م')}`);
  }),
  android(
    'Hindi',
    (at) => devanagari(`${day(at)}/${month(at)}/${year(at) % 100}, ${clockTwelve(at)} `) + half(at, 'पूर्वाह्न', 'अपराह्न'),
  ),
  android('Thai', (at) => `${day(at)}/${month(at)}/${year(at) + 543} ${clock(at)}`),
  android('Thai with a short year', (at) => `${day(at)}/${month(at)}/${(year(at) + 543) % 100} ${clock(at)}`),
  iphone(
    'Finnish',
    (at) => `${day(at)}.${month(at)}.${year(at)} klo ${clock(at).replace(':', '.')}.${two(at.getUTCSeconds())}`,
  ),
  iphone(
    'English of the United States',
    (at) =>
      `${month(at)}/${day(at)}/${year(at) % 100}, ${clockTwelve(at)}:${two(at.getUTCSeconds())}\u202f${half(at, 'AM', 'PM')}`,
  ),
  iphone(
    'German',
    (at) => `${two(day(at))}.${two(month(at))}.${year(at) % 100}, ${clock(at)}:${two(at.getUTCSeconds())}`,
  ),
  iphone(
    'Korean',
    (at) =>
      `${year(at)}. ${month(at)}. ${day(at)}. ${half(at, '오전', '오후')} ${clockTwelve(at)}:${two(at.getUTCSeconds())}`,
  ),
];

function android(name: string, header: (at: Date) => string): WhatsappStyle {
  return { name: `${name} on Android`, header: (at) => `${header(at)} - `, seconds: false };
}

function iphone(name: string, header: (at: Date) => string): WhatsappStyle {
  return { name: `${name} on an iPhone`, header: (at) => `[${header(at)}] `, seconds: true };
}
