import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { changeFlags, type FlagChange, folderFor, folderNamed, moveEmails } from '../mailbox/change-emails.ts';
import { type CopiesToMove, copiesToArchive, copiesToFile, everyCopy } from '../mailbox/copies-to-move.ts';
import type { StoredEmail, StoredFolder } from '../ports.ts';
import {
  type ChangingParts,
  changeByAccount,
  type FoundEmail,
  findEmails,
  MAX_IDS,
  MessageIds,
} from './chosen-emails.ts';
import { countOf, notFoundNote, notFoundOf } from './counted.ts';
import { EmailSummary, summaryLine, toSummary } from './email-view.ts';
import { type EmailSearchParts, findMatching } from './find-emails.ts';

const ACTIONS = ['read', 'unread', 'flag', 'unflag', 'archive', 'trash', 'move'] as const;
type Action = (typeof ACTIONS)[number];

const FLAGS: Partial<Record<Action, FlagChange>> = {
  read: { add: ['\\Seen'] },
  unread: { remove: ['\\Seen'] },
  flag: { add: ['\\Flagged'] },
  unflag: { remove: ['\\Flagged'] },
};
const COPIES: Partial<Record<Action, CopiesToMove>> = {
  archive: copiesToArchive,
  trash: everyCopy,
  move: copiesToFile,
};
/** Emails that a preview shows. */
const SHOWN = 10;

export const updateEmails = operation({
  mcp: { name: 'update_emails', title: 'Change many emails', combinedOnly: true },
  cli: {
    path: 'email update',
    examples: [
      "switchboard email update --action archive --query 'from:newsletter before:30d'",
      'switchboard email update --action flag --message-ids 1763342291',
    ],
  },
  rest: { method: 'POST', path: '/emails/update' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  description:
    'Marks, flags, archives, trashes or moves emails, by ids or by a query. A query shows a preview first; repeat it with the preview_id.',
  input: z.strictObject({
    action: z.enum(ACTIONS).describe('What is done to the emails.'),
    message_ids: MessageIds.optional(),
    query: z.string().max(1_000).optional().describe('Like that of search_emails, instead of message_ids.'),
    account: z.string().max(200).optional().describe('Account to search; default: all.'),
    folder: z.string().max(500).optional().describe('Target of the action move.'),
    preview_id: z.string().max(64).optional().describe('From the preview, to do it.'),
  }),
  output: z.object({
    action: z.enum(ACTIONS),
    matched: z.int(),
    updated: z.int(),
    preview_id: z.string().optional(),
    emails: z.array(EmailSummary).optional(),
    not_found: z.array(z.string()).optional(),
  }),
  async run(input, context: OperationContext & ChangingParts & EmailSearchParts) {
    const { action, folder, preview_id: preview } = input;
    checkTarget(action, folder);
    const { found, missing } = await chosen(input, context);
    const id = idOf(input, found);
    if (input.query !== undefined && preview !== id) {
      if (preview !== undefined) throw changedSince();
      const emails = await Promise.all(found.slice(0, SHOWN).map((each) => toSummary(each)));
      return { action, matched: found.length, updated: 0, preview_id: id, emails };
    }
    const field = input.query === undefined ? 'message_ids' : 'query';
    const { left, gone } = await apply(context, { action, folder, field }, found);
    return {
      action,
      matched: found.length - gone.length,
      updated: found.length - gone.length - left,
      ...notFoundOf([...missing, ...gone]),
    };
  },
  render({ action, matched, updated, preview_id: preview, emails = [], not_found: missing }) {
    if (preview === undefined) {
      return `${countOf(updated)} changed (${action}).${leftNote(matched - updated)}${notFoundNote(missing)}`;
    }
    return [
      `Preview: ${countOf(matched)} would be changed (${action}). Nothing was changed yet; preview_id ${preview} does it.`,
      ...emails.map(summaryLine),
      ...(matched > emails.length ? [`and ${matched - emails.length} more`] : []),
    ].join('\n');
  },
});

function checkTarget(action: Action, folder: string | undefined): void {
  if ((action === 'move') === (folder !== undefined)) return;
  throw new AppError('VALIDATION_ERROR', 'The action move takes a folder, and only that one does.', {
    field: 'folder',
  });
}

async function chosen(
  {
    message_ids: ids,
    query,
    account,
  }: { message_ids?: string | string[] | undefined; query?: string | undefined; account?: string | undefined },
  context: OperationContext & ChangingParts & EmailSearchParts,
): Promise<{ found: FoundEmail[]; missing: string[] }> {
  if ((ids === undefined) === (query === undefined)) {
    throw new AppError('VALIDATION_ERROR', 'Give either message_ids or a query.', { field: 'message_ids' });
  }
  if (ids !== undefined) return findEmails(context, ids);
  const { found, next } = await findMatching({ query, account, limit: MAX_IDS, isStrict: true }, context);
  if (next === undefined) return { found: [...found], missing: [] };
  throw new AppError('VALIDATION_ERROR', `More than ${MAX_IDS} emails match; at most ${MAX_IDS} are changed at once.`, {
    field: 'query',
    hint: 'Narrow it, for example with after: and before:.',
  });
}

/** `left`: how many emails it leaves where they are; `gone`: the ids of those that are not there any more. */
async function apply(
  context: OperationContext & ChangingParts,
  { action, folder, field }: { action: Action; folder: string | undefined; field: string },
  found: readonly FoundEmail[],
): Promise<{ left: number; gone: readonly string[] }> {
  const flags = FLAGS[action];
  const copies = COPIES[action] ?? everyCopy;
  let left = 0;
  const gone = await changeByAccount(
    context,
    found.map(({ email }) => email),
    async (parts, emails) => {
      if (flags) return () => changeFlags(parts, emails, flags);
      const target =
        folder === undefined
          ? await folderFor(parts, action === 'archive' ? 'archive' : 'trash')
          : await folderNamed(parts, folder);
      left += emails.filter((email) => copies(email, target).length === 0 && !isIn(email, target)).length;
      return () => moveEmails(parts, emails, target, copies);
    },
    field,
  );
  return { left, gone };
}

function isIn({ locations }: StoredEmail, { key }: StoredFolder): boolean {
  return locations.some(({ folder }) => folder === key);
}

function leftNote(left: number): string {
  return left === 0 ? '' : ` ${countOf(left)} left in place: what is sent, a draft or archived already is not moved.`;
}

/** Of this call for exactly these emails: if others match by then, nothing is changed. */
function idOf(
  { action, query, account, folder }: { [Key in 'action' | 'query' | 'account' | 'folder']?: string | undefined },
  found: readonly FoundEmail[],
): string {
  const ids = found.map(({ email }) => email.id).sort();
  const call = JSON.stringify([action, query ?? null, account ?? null, folder ?? null, ids]);
  return createHash('sha256').update(call).digest('hex').slice(0, 16);
}

function changedSince(): AppError {
  return new AppError('CONFLICT', 'The preview was of another call, or other emails match now. Nothing was changed.', {
    field: 'preview_id',
    hint: 'Call it again without preview_id for a new preview.',
  });
}
