/** Prefixes of replies and forwarded messages in many languages. */
const PREFIXES =
  /^(?:\s*(?:re|aw|sv|vs|antw|odp|res|rif|ynt|fwd?|wg|tr|rv|enc|vb|doorst|回复|答复|回覆|转发|轉寄)(?:\[\d{1,3}\])?\s?[:：])+\s*/i;

/** The subject of a conversation: without the prefixes of its replies. */
export function bareSubject(subject: string): string {
  return subject.replace(PREFIXES, '');
}

/** Whether the subject is that of a forwarded email. */
export function isForwarded(subject: string): boolean {
  return /^\s*(?:fwd?|wg|tr|rv|enc|vb|doorst|转发|轉寄)(?:\[\d{1,3}\])?\s?[:：]/i.test(subject);
}
