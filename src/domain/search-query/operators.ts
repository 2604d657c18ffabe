import { TIME_FORMS, timestampOf } from '../time-expression.ts';
import {
  CONTENTS,
  type Content,
  MESSAGE_STATES,
  type MessageState,
  type SearchTerm,
  TEXT_OPERATORS,
  type TextOperator,
} from './query.ts';

export type Operator = TextOperator | 'has' | 'is' | 'after' | 'before';

/** Every name of an operator, in lower case. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  ...(Object.fromEntries(TEXT_OPERATORS.map((name) => [name, name])) as Record<string, TextOperator>),
  account: 'source',
  has: 'has',
  is: 'is',
  after: 'after',
  since: 'after',
  newer_than: 'after',
  before: 'before',
  older_than: 'before',
};

const OTHER_CONTENTS: Readonly<Record<string, Content>> = {
  photo: 'image',
  voice: 'audio',
  sound: 'audio',
  url: 'link',
};
const OTHER_STATES: Readonly<Record<string, MessageState>> = {
  unseen: 'unread',
  seen: 'read',
  starred: 'flagged',
  sent: 'own',
};

/** What is wrong with a value, as the end of a sentence that begins with the operator. */
export interface WrongValue {
  problem: string;
}

export function termOf(operator: Operator, value: string, now: number): SearchTerm | WrongValue {
  switch (operator) {
    case 'has': {
      const what = contentOf(value.toLowerCase());
      return what ? { kind: 'has', what } : { problem: `must be one of ${CONTENTS.join(', ')}` };
    }
    case 'is': {
      const what = stateOf(value.toLowerCase());
      return what ? { kind: 'is', what } : { problem: `must be one of ${MESSAGE_STATES.join(', ')}` };
    }
    case 'after':
    case 'before': {
      const at = timestampOf(dashed(value), now);
      return at === undefined ? { problem: `must be ${TIME_FORMS.replace(/\.$/, '')}` } : { kind: operator, at };
    }
    default:
      return { kind: operator, text: value };
  }
}

function contentOf(value: string): Content | undefined {
  const singular = value.replace(/s$/, '');
  return CONTENTS.find((content) => content === singular) ?? own(OTHER_CONTENTS, singular);
}

function stateOf(value: string): MessageState | undefined {
  return MESSAGE_STATES.find((state) => state === value) ?? own(OTHER_STATES, value);
}

/** `constructor` is no key of ours. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Mail programs also write dates with slashes. */
function dashed(value: string): string {
  return /^\d{4}\/\d\d?\/\d\d?$/.test(value)
    ? value
        .split('/')
        .map((part) => part.padStart(2, '0'))
        .join('-')
    : value;
}
