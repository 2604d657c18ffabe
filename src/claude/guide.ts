import type { Guide } from '../domain/guide.ts';
import { allows } from '../domain/principal.ts';

export interface ClaudeGuideParts extends Pick<Guide, 'ready' | 'onChange'> {
  /** Whether there is an API key. */
  hasKey(): boolean;
}

/** Says without a key what is missing. */
const ALWAYS = 'ask_claude';
const USES = [
  ['ask_claude', 'asks one question'],
  ['conversation_start', 'and conversation_send talk with a Claude that uses these tools itself'],
] as const;

/** What models are told of conversations with Claude. */
export function claudeGuide({ hasKey, ...guide }: ClaudeGuideParts): Guide {
  return {
    ...guide,
    canWork: (tool) => tool === ALWAYS || hasKey(),
    introduction({ principal }, named) {
      if (!hasKey() || !allows(principal, 'claude:read')) return undefined;
      const uses = USES.filter(([tool]) => named(tool) !== undefined).map(([tool, does]) => `${tool} ${does}`);
      return uses.length === 0 ? undefined : { text: `Claude: ${uses.join(', ')}.` };
    },
  };
}
