import type { Probe } from '../capability.ts';
import { ok } from '../domain/finding.ts';
import type { OutboxSettings } from './settings.ts';

const SAYS = {
  allow:
    'Agents send without approval. `policy.send: careful` is recommended: it holds a message to another chat once its session has read what others wrote.',
  careful: 'A message to another chat is held once its session has read what others wrote.',
  hold: 'Every message waits for approval.',
  deny: 'No message is sent.',
} as const;

/** What the general policy means, and which one is recommended. */
export const policyProbe: Probe<OutboxSettings> = {
  check: 'policy',
  examine: async ({ settings }) => (settings ? [ok('policy', SAYS[settings.policy.send])] : []),
};
