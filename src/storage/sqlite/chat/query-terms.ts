import type { MessageFilter } from '../../../chat/ports.ts';
import { folderRoleNamed } from '../../../domain/email.ts';
import {
  type Content,
  type MessageState,
  not,
  positiveTerms,
  type SearchQuery,
  type SearchTerm,
} from '../../../domain/search-query/query.ts';
import type { Reader } from '../database.ts';
import { fieldPhrase, fieldPrefix, type IndexedField } from './field-tokens.ts';
import { fold } from './fold.ts';
import { anyOf, phrase } from './fts-expression.ts';
import * as check from './id-checks.ts';
import { attachmentToken, chatToken, HAS_ATTACHMENT, senderToken, sourceToken, typeToken } from './index-row.ts';
import { chatKeys, foldersNamed, type PlaceNames } from './named-rows.ts';
import {
  byCheck,
  byMatch,
  type PairPlan,
  planForAll,
  planForAny,
  planForNot,
  type QueryPlan,
  type TermPlan,
  wholeCheck,
} from './query-plan.ts';
import { sendersAddressed } from './sender-search.ts';
import { piecesOf, tokenize } from './tokenize.ts';
import { containsPhrase, containsTyped, typedExpressions } from './typed-text.ts';
import { pairExpressions } from './word-pairs.ts';

/** Above this number, senders or chats are not put into the expression; messages are checked instead. */
export const MAX_IN_MATCH = 1_000;

/** Sources by key and id: those that are searched. */
export type SearchedSources = readonly { key: number; id: string }[];

/** The texts of all candidates are checked for each of these terms; the signs of further ones are ignored. */
const MAX_TYPED_TERMS = 20;

/** `loose`: signs are ignored. `excluded`: they are not, where there are any, so that nothing else is excluded. */
type TextMatch = 'loose' | 'typed' | 'excluded';

function isMatchedAsTyped({ kind, text }: SearchTerm & { text: string }, how: TextMatch): boolean {
  return how === 'typed' || (how === 'excluded' && (kind === 'word' || HAS_SIGNS.test(text)));
}

const HAS_SIGNS = /[^\p{L}\p{N}\p{M}\s]/u;

/** How the messages of these sources that fit a query are found. */
export function planQuery(
  reader: Reader,
  sources: SearchedSources,
  { query, typed }: { query: SearchQuery; typed?: MessageFilter['typed'] },
): TermPlan {
  const everything = expressionForAll(sources);
  const keys = sources.map(({ key }) => key);
  const names: PlaceNames = { reader, sources: keys };
  let typedTerms = 0;

  function planOf(part: SearchQuery, how: TextMatch): TermPlan {
    switch (part.kind) {
      case 'all':
        return planForAll(part.of.map((each) => planOf(each, how)));
      case 'any':
        return planForAny(
          part.of.map((each) => planOf(each, how)),
          everything,
        );
      case 'not':
        // Of "none of these", each is excluded by the index if it can be.
        if (part.of.kind === 'any') return planForAll(part.of.of.map((each) => planOf(not(each), how)));
        return planForNot(planOf(part.of, 'excluded'), everything);
      default:
        return planTerm(part, how);
    }
  }

  function planTerm(term: SearchTerm, how: TextMatch): TermPlan {
    switch (term.kind) {
      case 'word':
      case 'phrase':
        if (!isMatchedAsTyped(term, how) || typedTerms === MAX_TYPED_TERMS) {
          return planText(term.text, term.kind === 'phrase');
        }
        typedTerms += 1;
        return planTyped(reader, term.text);
      case 'has':
        return planContent(term.what);
      case 'is':
        return planState(term.what);
      case 'after':
        return byCheck(check.isSince(term.at));
      case 'before':
        return byCheck(check.isBefore(term.at));
      case 'subject':
        return ifAny(fieldPhrase('subject', term.text));
      case 'cc':
      case 'filename':
        return ifAny(fieldPrefix(term.kind satisfies IndexedField, term.text));
      case 'source':
        return inSources(sources.filter(({ id }) => id === term.text).map(({ key }) => key));
      case 'from':
        return isUser(term.text) ? byCheck(check.isOwn) : fromSenders(sendersAddressed(reader, term.text, keys));
      case 'to':
        return isUser(term.text) ? byCheck(check.isToUser) : planRecipient(term.text);
      case 'in':
        return planPlace(term.text);
      case 'folder':
        return planFolder(term.text);
    }
  }

  /** The recipient of an email, or the other one in a direct chat: what is in it is to the one who did not write it. */
  function planRecipient(text: string): TermPlan {
    const direct = inChats(chatKeys(names, text, 'direct'));
    const others = planForNot(fromSenders(sendersAddressed(reader, text, keys)), everything);
    return planForAny([ifAny(fieldPrefix('to', text)), planForAll([direct, others])], everything);
  }

  function planPlace(text: string): TermPlan {
    const role = folderRoleNamed(text);
    if (role === 'all') return { checks: [] };
    const chats = inChats(chatKeys(names, text, role === undefined ? 'part' : 'exactly'));
    return planForAny([chats, planFolder(text)], everything);
  }

  function planFolder(text: string): TermPlan {
    if (folderRoleNamed(text) === 'all') return { checks: [] };
    return inFolders(foldersNamed(names, text).map(({ key }) => key));
  }

  if (typed?.kind === 'only') return planOf(query, 'typed') ?? 'nothing';
  // Nothing resembles signs alone.
  if (isSignsOnly(query)) return 'nothing';
  const loose = planOf(query, 'loose');
  if (!typed) return loose;
  if (typed.known) return planForAll([loose, byCheck(check.isNoneOf(typed.known.map(Number)))]);
  typedTerms = 0;
  const exact = planOf(query, 'typed');
  if (loose === undefined || exact === undefined) return 'nothing';
  return exact === 'nothing'
    ? loose
    : planForAll([loose, byCheck(check.noneSince(Number(typed.from), wholeCheck(exact, everything)))]);
}

/** Whether all that is searched for in texts are signs without quotes, which are ignored where others count. */
export function isSignsOnly(query: SearchQuery): boolean {
  const texts = positiveTerms(query).filter(({ kind }) => kind === 'word' || kind === 'phrase');
  return (
    texts.length > 0 && texts.every((term) => term.kind === 'word' && tokenize(fold(term.text)).tokens.length === 0)
  );
}

/** Whether the query asks for a folder of emails that are not found otherwise: the trash, or junk. */
export function asksForDiscarded(reader: Reader, sources: SearchedSources, query: SearchQuery): boolean {
  const names = { reader, sources: sources.map(({ key }) => key) };
  const isDiscarded = (role: string | null) => role === 'trash' || role === 'junk';
  return positiveTerms(query).some(
    (term) =>
      (term.kind === 'in' || term.kind === 'folder') &&
      (folderRoleNamed(term.text) === 'all' || foldersNamed(names, term.text).some(({ role }) => isDiscarded(role))),
  );
}

/** FTS5 cannot negate a whole query, but every message has its source. */
export function expressionForAll(sources: SearchedSources): string {
  return sources.length === 0 ? anyOf([sourceToken(0)]) : anyOf(sources.map(({ key }) => sourceToken(key)));
}

/** Signs are ignored, like between the words of a text, unless they are in quotes. */
function planText(text: string, isQuoted: boolean): TermPlan {
  const folded = fold(text);
  const { tokens } = tokenize(folded);
  if (tokens.length === 0) return isQuoted ? byCheck(check.containsSigns(text)) : undefined;
  const words = piecesOf(folded).join(' ');
  return { ...byMatch(phrase(tokens)), ...withPairs(words, { checks: [containsPhrase(words)] }) };
}

/** Of whole words. */
function withPairs(text: string, how: Omit<PairPlan, 'expressions'>): Pick<QueryPlan, 'pairs'> {
  const expressions = pairExpressions(` ${text} `);
  return expressions.length === 0 ? {} : { pairs: { expressions, ...how } };
}

function planTyped(reader: Reader, text: string): TermPlan {
  const typed = fold(text).trim();
  if (typed === '') return undefined;
  const expressions = typedExpressions(reader, typed);
  const isOneWord = !typed.includes(' ') && expressions.length === 1 && expressions[0] === phrase([typed]);
  if (isOneWord) return byMatch(phrase([typed]));
  const plan = planForAll([...expressions.map(byMatch), byCheck(containsTyped(typed))]);
  if (plan === undefined || plan === 'nothing') return plan;
  const { tokens } = tokenize(typed);
  const hasSigns = tokens.length > 0 && expressions.length > 1;
  return { ...plan, ...withPairs(typed, { checks: [], ...(hasSigns ? { words: phrase(tokens) } : {}) }) };
}

function planContent(what: Content): TermPlan {
  switch (what) {
    case 'attachment':
      return byMatch(anyOf([HAS_ATTACHMENT, ...FILE_TYPES.map(typeToken)]));
    case 'link':
      return { match: anyOf(['http', 'https', 'www']), checks: [check.hasLink] };
    default:
      return byMatch(anyOf([typeToken(what), attachmentToken(what)]));
  }
}

const FILE_TYPES = ['image', 'video', 'audio', 'file'] as const;

function planState(what: MessageState): TermPlan {
  switch (what) {
    case 'own':
      return byCheck(check.isOwn);
    case 'reply':
      return byCheck(check.isReply);
    case 'edited':
      return byCheck(check.isEdited);
    case 'read':
      return byCheck(check.isRead, { sql: READ, values: [] });
    case 'unread':
      return byCheck(check.isUnread, { sql: UNREAD, values: [] });
    case 'flagged':
      return byCheck(check.isFlagged, { sql: FLAGGED, values: [] });
  }
}

const IN_RANGE = 'message >= ? and message < ? order by message desc limit ?';
const READ = `select message as id from emails where is_seen = 1 and ${IN_RANGE}`;
const UNREAD = `select message as id from emails where is_seen = 0 and ${IN_RANGE}`;
const FLAGGED = `select message as id from emails where is_flagged = 1 and ${IN_RANGE}`;
const IN_FOLDER = `
  select distinct message as id from email_locations indexed by email_locations_by_message
  where folder in (select value from json_each(?)) and ${IN_RANGE}`;

function fromSenders(senders: readonly number[]): TermPlan {
  return oneOf(senders, senderToken, check.isFromOneOf);
}

function inChats(chats: readonly number[]): TermPlan {
  return oneOf(chats, chatToken, check.isInOneOf);
}

function inFolders(folders: readonly number[]): TermPlan {
  if (folders.length === 0) return 'nothing';
  return byCheck(check.isInFolder(folders), { sql: IN_FOLDER, values: [JSON.stringify(folders)] });
}

function inSources(sources: readonly number[]): TermPlan {
  return sources.length === 0 ? 'nothing' : byMatch(anyOf(sources.map(sourceToken)));
}

function oneOf(
  keys: readonly number[],
  toToken: (key: number) => string,
  toCheck: (keys: readonly number[]) => check.IdCheck,
): TermPlan {
  if (keys.length === 0) return 'nothing';
  return keys.length <= MAX_IN_MATCH ? byMatch(anyOf(keys.map(toToken))) : byCheck(toCheck(keys));
}

function ifAny(expression: string | undefined): TermPlan {
  return expression === undefined ? 'nothing' : byMatch(expression);
}

/** `from:me`, `to:me`. */
function isUser(text: string): boolean {
  return text.toLowerCase() === 'me';
}
