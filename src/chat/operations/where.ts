import { AppError } from '../../domain/errors.ts';

/** Parses `telegram:Antti`, `telegram:*`, `*:Antti`; without a colon it is a chat in all sources. */
export function parseWhere(where: string): { source?: string; chat?: string } {
  const colon = where.indexOf(':');
  const source = colon === -1 ? '*' : where.slice(0, colon);
  const chat = where.slice(colon + 1);
  if (source === '' || chat === '') {
    throw new AppError('INVALID_PARAMETER', 'where must be SOURCE:CHAT, SOURCE:*, *:CHAT, or a chat alone.', {
      field: 'where',
    });
  }
  return { ...(source === '*' ? {} : { source }), ...(chat === '*' ? {} : { chat }) };
}
