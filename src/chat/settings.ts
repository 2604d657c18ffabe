import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { type SourceKind, type SourceSettings, sourceSchema } from './source-settings.ts';

/** Its section of the configuration. */
export interface ChatSettings {
  sources: Readonly<Record<string, SourceSettings>>;
}

export function chatConfig(kinds: readonly SourceKind[]): ConfigDeclaration {
  return {
    sections: {
      sources: {
        schema: z
          .record(z.string(), sourceSchema(kinds))
          .default({})
          .describe('Chat sources, by an id of your choice.'),
        entry: 'a source',
      },
    },
    reservedIds: ['demo'],
  };
}
