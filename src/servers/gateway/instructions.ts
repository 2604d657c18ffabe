import type { Introduction } from '../../domain/guide.ts';
import type { OfferIndex } from './offer-index.ts';

/** What models are told about other servers, with what those say about themselves, as far as it was accepted. */
export function serverIntroduction({ servers }: OfferIndex): Introduction | undefined {
  if (servers.length === 0) return undefined;
  return {
    text: 'Tools named SERVER__TOOL are of other MCP servers, and what these write is their own:',
    names: servers.map(({ id }) => id),
    quotes: servers.flatMap((server) => {
      const text = server.reviewed()?.instructions;
      return text === undefined || text === '' ? [] : [{ by: server.id, text }];
    }),
  };
}
