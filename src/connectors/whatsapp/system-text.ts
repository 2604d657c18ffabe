type Words = (who: string, subjects: readonly string[]) => string;

const list = (names: readonly string[]) => names.join(', ');

/** Texts of the network's own messages, by their number in WhatsApp's protocol. */
const TEXTS: Record<number, Words> = {
  20: (who, [name = '']) => `${who} created the group “${name}”`,
  21: (who, [name = '']) => `${who} changed the group's name to “${name}”`,
  22: (who) => `${who} changed the group's picture`,
  24: (who) => `${who} changed the group's description`,
  27: (who, added) => `${who} added ${list(added)}`,
  28: (who, removed) => `${who} removed ${list(removed)}`,
  29: (who, people) => `${who} made ${list(people)} an admin`,
  30: (who, people) => `${who} made ${list(people)} no longer an admin`,
  31: (_, people) => `${list(people)} joined by the group's link`,
  32: (_, people) => `${list(people)} left`,
  33: (who) => `${who} changed their phone number`,
  40: () => 'Missed voice call',
  41: () => 'Missed video call',
  42: (who) => `${who} changed their phone number`,
  43: (who) => `${who} deleted the group`,
  45: () => 'Missed group voice call',
  46: () => 'Missed group video call',
};

/** Undefined for notes that say nothing about the conversation, such as changed keys. */
export function systemText(stub: number, who: string, subjects: readonly string[]): string | undefined {
  return Object.hasOwn(TEXTS, stub) ? TEXTS[stub]?.(who, subjects) : undefined;
}
