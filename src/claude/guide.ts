import type { Guide } from '../domain/guide.ts';

export interface ClaudeGuideParts extends Pick<Guide, 'ready' | 'onChange'> {
  /** Whether an API key is configured. */
  hasKey(): boolean;
}

/** Works without an API key: it says what is missing. */
const ALWAYS = 'ask_claude';

/** What models are told of conversations with Claude. */
export function claudeGuide({ hasKey, ...guide }: ClaudeGuideParts): Guide {
  return {
    ...guide,
    canWork: (tool) => tool === ALWAYS || hasKey(),
    introduction(_, named) {
      const [start, send] = [named('conversation_start'), named('conversation_send')];
      if (!hasKey() || start === undefined || send === undefined) return undefined;
      return {
        text: `Claude: ${start} and ${send} let another model work with these tools; what it sends waits for the user.`,
      };
    },
  };
}
