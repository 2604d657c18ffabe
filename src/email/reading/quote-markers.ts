/** How mail programs introduce the email that is answered, in the languages that most people write. */

const MAX_LINE = 300;

const WROTE = [
  'wrote',
  'schrieb',
  'a écrit',
  'écrivait',
  'escribió',
  'ha scritto',
  'schreef',
  'escreveu',
  'skrev',
  'kirjoitti',
  'napisała?(?:\\(a\\))?',
  'pisze',
  'napsala?(?:\\(a\\))?',
  'írta',
  'yazdı',
  'написала?(?:\\(а\\))?',
  'пишет',
  'писал',
  '写道',
  '寫道',
  '書きました',
  '작성',
].join('|');
const ATTRIBUTION = new RegExp(`(?:^|[\\s>,])(?:${WROTE})(?=[\\s:：]|$)`, 'iu');
const BEGINS =
  /^(?:on|am|le|el|il|op|em|den|dne|dnia|w dniu|vào|в|ons|man|tis|tor|fre|lør|søn|mon|tue|wed|thu|fri|sat|sun)\b|^\d|^在|^于|^20\d\d/iu;
const HAS_DATE = /\d{1,2}[:.h]\d\d|\b(?:19|20)\d\d\b|@/;

/** `On Monday, 2 March 2026 at 10:00, Alice wrote:`, on at most three lines. Returns how many there are; 0 if it is none. */
export function attributionAt(lines: readonly string[], index: number): number {
  const first = lines[index] ?? '';
  if (first.length > MAX_LINE || !/\S/.test(first)) return 0;
  let text = '';
  for (let count = 1; count <= 3; count++) {
    text += ` ${(lines[index + count - 1] ?? '').replace(/^[>\s]+/, '')}`;
    const trimmed = text.trim();
    if (trimmed.length > MAX_LINE) return 0;
    if (/[:：]$/.test(trimmed)) return isAttribution(trimmed, count) ? count : 0;
    if (count === 1 && !BEGINS.test(trimmed)) return 0;
  }
  return 0;
}

/** Where the one begins that ends in this line. A line that looks like a whole one may be the end of a longer one. */
export function attributionEndingAt(lines: readonly string[], last: number): number | undefined {
  const starts = [last, last - 1, last - 2].filter((at) => at >= 0 && attributionAt(lines, at) === last - at + 1);
  return starts.find((at) => BEGINS.test((lines[at] ?? '').trimStart())) ?? starts[0];
}

function isAttribution(text: string, lines: number): boolean {
  return ATTRIBUTION.test(text) && HAS_DATE.test(text) && (lines === 1 || BEGINS.test(text));
}

const ORIGINAL = [
  'original message',
  'original appointment',
  'ursprüngliche nachricht',
  'originalnachricht',
  "message d['’]origine",
  'message original',
  'mensaje original',
  'messaggio originale',
  'oorspronkelijk bericht',
  'mensagem original',
  'oprindelig meddelelse',
  'opprinnelig melding',
  'ursprungligt meddelande',
  'alkuperäinen viesti',
  'wiadomość oryginalna',
  'původní zpráva',
  'eredeti üzenet',
  'исходное сообщение',
  'оригинальное сообщение',
  'orijinal mesaj',
  '原始邮件',
  '原始郵件',
  '元のメッセージ',
  '원본 메시지',
].join('|');
const ORIGINAL_LINE = new RegExp(`^\\s*[-_=]{2,}\\s*(?:${ORIGINAL})\\s*[-_=]{2,}\\s*$`, 'iu');
const FORWARDED_LINE =
  /^\s*(?:[-_=]{2,}\s*(?:forwarded message|weitergeleitete nachricht|message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|vidarebefordrat meddelande|videresendt melding|пересылаемое сообщение|пересланное сообщение|przekazana wiadomość|转发的消息|轉寄郵件).*|begin forwarded message:|anfang der weitergeleiteten nachricht:|début du message réexpédié\s*:|inizio messaggio inoltrato:)\s*$/iu;

export function isOriginalLine(line: string): boolean {
  return line.length <= MAX_LINE && ORIGINAL_LINE.test(line);
}

export function isForwardedLine(line: string): boolean {
  return line.length <= MAX_LINE && FORWARDED_LINE.test(line);
}

const FROM =
  /^\*?(?:from|von|de|da|van|från|fra|od|lähettäjä|feladó|от|gönderen|发件人|寄件者|差出人|보낸 사람)\*?\s*[:：]\*?\s*\S/iu;
const OTHERS =
  /^\*?(?:sent|date|to|cc|subject|gesendet|datum|an|betreff|envoyé|à|objet|enviado(?: el)?|fecha|para|asunto|inviato|data|a|oggetto|verzonden|aan|onderwerp|assunto|enviada(?: em)?|skickat|till|ämne|sendt|til|emne|wysłano|do|temat|odesláno|komu|předmět|lähetetty|vastaanottaja|aihe|elküldve|címzett|tárgy|отправлено|дата|кому|тема|gönderildi|kime|konu|发送时间|发送日期|收件人|主题|抄送|寄件日期|收件者|主旨|送信日時|宛先|件名|보낸 날짜|받는 사람|제목)\*?\s*[:：]/iu;

/** `From: …`, `Sent: …`, `To: …`, `Subject: …` on lines of their own, as Outlook writes them. */
export function isHeaderBlockAt(lines: readonly string[], index: number): boolean {
  const first = (lines[index] ?? '').trimStart();
  if (first.length > MAX_LINE || !FROM.test(first)) return false;
  let found = 0;
  for (let at = index + 1; at < Math.min(lines.length, index + 7); at++) {
    if (OTHERS.test((lines[at] ?? '').trimStart().slice(0, MAX_LINE))) found += 1;
  }
  return found >= 2;
}
