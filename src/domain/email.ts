import type { ContentType } from './chat.ts';

/** A mailbox in a header. `name` is empty where the header has none; `address` is in lower case. */
export interface MailAddress {
  name: string;
  address: string;
}

/** The headers of an email that are searched, and shown with it. */
export interface MailHeaders {
  subject: string;
  from: readonly MailAddress[];
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
}

/** A file in an email. Its content stays on the server. */
export interface EmailAttachment {
  /** Its number in IMAP: `2.1`. */
  part: string;
  /** As the sender wrote it; not safe as a file name. */
  name?: string;
  mime: string;
  type: ContentType;
  /** Decoded size in bytes; missing if the email was not fetched as a whole. */
  size?: number;
  /** Shown within the text, such as a logo. */
  isInline: boolean;
}

/** What the receiving server found out about the sender: the results of its own checks. */
export interface EmailAuthentication {
  spf?: AuthenticationResult;
  dkim?: AuthenticationResult;
  dmarc?: AuthenticationResult;
}

export type AuthenticationResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';

/** An email as we read it. All texts are well-formed Unicode; header values are on one line. */
export interface ParsedEmail {
  /** Ids as in the header `Message-ID`, without angle brackets. */
  rfcMessageId?: string;
  inReplyTo?: string;
  /** Oldest first. */
  references: readonly string[];
  subject: string;
  from: readonly MailAddress[];
  replyTo: readonly MailAddress[];
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  bcc: readonly MailAddress[];
  /** From the header `Date`, in milliseconds; missing if it is not a date. */
  date?: number;
  /** The readable text: the plain part, or else the HTML part as text, without what it hides. */
  text: string;
  attachments: readonly EmailAttachment[];
  authentication?: EmailAuthentication;
  /** Whether it was written by a program: a mailing list, an automatic reply. */
  isAutomatic: boolean;
  /** Why parts of it are missing or may be wrong, in our own text. */
  problems: readonly string[];
}

/** Why the end of its text is missing. */
export const CUT_TEXT = {
  truncated: 'The email was not fetched as a whole: what comes after the end is missing.',
  longText: 'Its text is too long: the end is left out.',
} as const;

/** Whether the end of its text is missing. */
export function isTextCut({ problems }: Pick<ParsedEmail, 'problems'>): boolean {
  return Object.values(CUT_TEXT).some((problem) => problems.includes(problem));
}

/** The purpose of a folder, from its special-use attribute (RFC 6154) or its name. */
export const FOLDER_ROLES = ['inbox', 'sent', 'drafts', 'trash', 'junk', 'archive', 'all'] as const;
export type FolderRole = (typeof FOLDER_ROLES)[number];

const OTHER_NAMES: Readonly<Record<string, FolderRole>> = {
  spam: 'junk',
  bin: 'trash',
  draft: 'drafts',
  anywhere: 'all',
};

/** The purpose that a person names. */
export function folderRoleNamed(wanted: string): FolderRole | undefined {
  const name = wanted.trim().toLowerCase();
  return (
    FOLDER_ROLES.find((role) => role === name) ?? (Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined)
  );
}
