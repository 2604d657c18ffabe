import { CUT_TEXT } from '../../domain/email.ts';

/** Why parts of an email are missing or may be wrong. */
export const PROBLEMS = {
  ...CUT_TEXT,
  empty: 'The email is empty.',
  unended: 'The last part has no end: it may be incomplete.',
  noBoundary: 'It says that it has parts, but they cannot be told apart: it is shown as one text.',
  tooDeep: 'Parts are nested too deeply: the innermost ones are left out.',
  tooManyParts: 'It has too many parts: the last ones are left out.',
  tooManyAttachments: 'It has too many attachments: the last ones are not listed.',
  longHeaders: 'Its headers are too long: some are left out.',
  manyAddresses: 'It has too many recipients: the last ones are not listed.',
  unknownCharset: 'The character set of its text is unknown: some characters may be wrong.',
  undecoded: 'Some of its characters could not be decoded: they are missing or wrong.',
  unknownEncoding: 'The encoding of its text is unknown: it is shown as it is.',
  noText: 'It has no text that can be read, and no attachments.',
  encrypted: 'Its content is encrypted (OpenPGP or S/MIME) and cannot be read here.',
  signedContainer: 'Its content is in an S/MIME signature, which is not opened here.',
  tnef: 'It has a file in the TNEF format of Outlook (winmail.dat), which is not opened here: its text or attachments may be in it.',
} as const;

export type Problem = keyof typeof PROBLEMS;
