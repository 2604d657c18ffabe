import { z } from 'zod';
import { formatBytes } from '../../lib/format-bytes.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { attachmentAt, type DownloadParts, downloadAttachment } from '../attachments/download.ts';
import { safeFileName } from '../attachments/file-name.ts';
import { saveFile } from '../attachments/save-file.ts';
import { findEmail, type LookupParts } from './chosen-emails.ts';

const MAX_BYTES = 100 * 1024 * 1024;

const Saved = z.object({ part: z.string(), name: z.string().optional(), path: z.string(), size: z.int() });

export const saveAttachment = operation({
  mcp: { name: 'save_attachment', title: 'Save attachments', combinedOnly: true },
  cli: {
    path: 'email save',
    positionals: ['message_id', 'part'],
    examples: ['switchboard email save 1763342291', 'switchboard email save 1763342291 2'],
    list: {
      key: 'files',
      columns: ['part', 'name', 'size', 'path'],
      line: (file) => asLine(Saved.parse(file)),
    },
  },
  rest: { method: 'POST', path: '/emails/:message_id/attachments/save' },
  kind: 'command',
  effect: 'writes',
  description: 'Saves one attachment of an email, or all, into the folder of attachments and returns the paths.',
  input: z.strictObject({
    message_id: z.string().max(64).describe('Id of the email.'),
    part: z.string().max(64).optional().describe('Part of the attachment, from read_email; default: all.'),
  }),
  output: z.object({ files: z.array(Saved) }),
  async run({ message_id: id, part }, context: OperationContext & LookupParts & DownloadParts & { home: string }) {
    const { email } = await findEmail(context, id);
    const chosen =
      part === undefined ? email.attachments.filter(({ isInline }) => !isInline) : [attachmentAt(email, part)];
    const files: z.input<typeof Saved>[] = [];
    for (const attachment of chosen) {
      const content = await downloadAttachment(context, email, attachment, MAX_BYTES);
      const name = safeFileName(attachment.name, `attachment-${attachment.part}`);
      const path = await saveFile(context.home, [email.account, email.id], name, content);
      files.push({
        part: attachment.part,
        ...(attachment.name === undefined ? {} : { name: attachment.name }),
        path,
        size: content.byteLength,
      });
    }
    return { files };
  },
  render: ({ files }) => files.map(asLine).join('\n') || 'The email has no attachments.',
});

function asLine({ part, name, path, size }: z.output<typeof Saved>): string {
  return `${part} ${quotedName(name ?? '(no name)')} (${formatBytes(size)}): ${path}`;
}
