import type { ServerInput } from '../config/server-input.ts';
import { checkComplete, type ServerDraft } from '../draft/draft.ts';

/** A complete draft as the input from which a server is created. Throws where something is missing. */
export function draftInput(draft: ServerDraft): ServerInput & { secrets?: Readonly<Record<string, string>> } {
  checkComplete(draft);
  const { inputs, template, ...fields } = draft;
  return fields as unknown as ServerInput & { secrets?: Readonly<Record<string, string>> };
}
