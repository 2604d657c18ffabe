import { z } from 'zod';

/** Fields that several operations of writing share. */

const Addresses = z.union([z.string(), z.array(z.string())]);

export const RecipientFields = {
  to: Addresses.describe('joe@example.org or Joe <joe@example.org>, one or many.'),
  cc: Addresses.optional().describe('Like to.'),
  bcc: Addresses.optional().describe('Like to; not shown to others.'),
};

export const Subject = z.string().max(1_000).describe('One line.');
export const Body = z.string().max(500_000).describe('In Markdown.');
export const Format = z.enum(['markdown', 'plain']).default('markdown').describe('plain: without HTML.');
export const AccountRef = z.string().max(200).optional().describe('Id or name; optional if only one.');
export const DraftId = z.string().max(64).describe('Id of the draft.');

export const Attachments = z
  .array(
    z.union([
      z.string().max(4_096),
      z.strictObject({
        name: z.string().min(1).max(255).describe('File name.'),
        content_base64: z.string().describe('Base64.'),
      }),
    ]),
  )
  .max(50)
  .optional()
  .describe('Paths below attachments in the home, or content.');

/** A draft that was written. */
export const DraftOutput = z.object({
  draft_id: z.string(),
  account: z.string(),
  subject: z.string(),
  to: z.array(z.string()),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional(),
  attachments: z.array(z.string()).optional(),
  rfc_message_id: z.string(),
  in_reply_to: z.string().optional(),
  thread_id: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});
export type DraftOutput = z.output<typeof DraftOutput>;
