import type { AgentContext } from '../agent.ts';
import type { DeliveryState } from './delivery-state.ts';

/**
 * The names under which the status of a window is stored, the current one first: a renamed window is still one agent. Without
 * those that another window has now.
 */
export function ownNames(
  { me, peers }: Pick<AgentContext, 'me' | 'peers'>,
  state: Pick<DeliveryState, 'namesOf'>,
): readonly string[] {
  const { window } = me;
  if (window === undefined) return [me.name];
  const isAnothers = (name: string) => peers.some((peer) => peer.name === name && peer.window !== window);
  return [me.name, ...state.namesOf(window).filter((name) => name !== me.name && !isAnothers(name))];
}
