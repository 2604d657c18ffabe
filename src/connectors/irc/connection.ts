import type { Connection, Host } from '../connector.ts';
import { outcomeOf, rejectionOf } from '../outcome-error.ts';
import { foldingOf } from './casemapping.ts';
import { type Conversation, converse } from './conversation.ts';
import { isTarget } from './line.ts';
import { type Pace, USUAL_PACE } from './pace.ts';
import type { IrcSettings } from './settings.ts';

export function openConnection(settings: IrcSettings, host: Host, pace: Pace = USUAL_PACE): Connection {
  let conversation: Conversation | undefined;

  return {
    async run(signal) {
      try {
        const conversing = converse(settings, host, pace, signal, (opened) => {
          conversation = opened;
        });
        return await rejectionOf(conversing);
      } finally {
        conversation = undefined;
      }
    },
    async send(outgoing) {
      if (!conversation) return { kind: 'not-sent', reason: 'The source is not connected.', retry: true };
      return outcomeOf(conversation.send(outgoing), 'not-sent', 'unknown');
    },
    async wasSent(outgoing) {
      if (!conversation) return { kind: 'unknown', reason: 'The source is not connected.' };
      return conversation.wasSent(outgoing);
    },
    addressOf(text) {
      if (!isTarget(text)) return undefined;
      conversation?.typed(text);
      return (conversation?.fold ?? foldingOf(undefined))(text);
    },
    problems: () => conversation?.problems() ?? [],
    hold: (isHeld) => conversation?.hold(isHeld),
    async history(request) {
      if (!conversation) throw new Error('the source is not connected');
      return outcomeOf(conversation.history(request), 'cursor-lost');
    },
  };
}
