import { MailError } from '../../mail-connector.ts';

/** Throws if a path cannot be part of a command. imapflow refuses it, too, but says no more than that the command failed. */
export function checkPath(path: string): void {
  if (path === '' || /[\x00\r\n]/.test(path)) {
    throw new MailError('refused', 'The name contains characters that cannot be given to the server.');
  }
}

/** Whether a folder of this name can be asked for: one that is not in modified UTF-7 (RFC 3501, section 5.1.3) cannot. */
export function canBeNamed(path: string, asListed: string): boolean {
  return !/[\x00\r\n\ufffd]/.test(path) && !/&(?![A-Za-z0-9+,]*-)/.test(asListed);
}
