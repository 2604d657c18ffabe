import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { AskingClient, ClientAnswer, ClientQuestion } from '../domain/client-question.ts';
import { isRecord } from '../lib/is-record.ts';
import { visibleText } from '../lib/visible.ts';
import type { Caller, RequestContext } from './registry.ts';

/** The key of our question among the requests for input. */
const KEY = 'approval';
const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';

/** What the SDK adds to the context of a request that a client repeats with its user's answer. */
interface RepeatedRequest {
  envelope?: Partial<Record<string, unknown>>;
  inputResponses?: Record<string, unknown>;
  requestState?(): unknown;
}

/** Undefined where the client cannot ask its user. */
export function askingClient({ mcpReq }: RequestContext, caller: Caller): AskingClient | undefined {
  const request: RequestContext['mcpReq'] & RepeatedRequest = mcpReq;
  const declared = caller.era === 'legacy' ? caller.clientCapabilities?.() : request.envelope?.[CAPABILITIES_META];
  if (!canElicit(declared)) return undefined;
  const id = request.requestState?.();
  const answer = answerIn(request.inputResponses?.[KEY]);
  return typeof id === 'string' && answer ? { answered: { id, answer } } : {};
}

/** Whether the client shows forms to its user; before modes existed, every client that elicits did. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  return isRecord(elicitation) && (isRecord(elicitation.form) || Object.keys(elicitation).length === 0);
}

/** The form has a box to tick, so that a client that accepts forms by itself approves nothing. */
export function toInputRequired({ id, text }: ClientQuestion): InputRequiredResult {
  return {
    resultType: 'input_required',
    inputRequests: {
      [KEY]: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: visibleText(text),
          requestedSchema: {
            type: 'object',
            properties: { approve: { type: 'boolean', title: 'Send it', default: false } },
            required: ['approve'],
          },
        },
      },
    },
    requestState: id,
  };
}

export function isComplete(result: CallToolResult | InputRequiredResult): result is CallToolResult {
  return result.resultType !== 'input_required';
}

function answerIn(response: unknown): ClientAnswer | undefined {
  if (!isRecord(response)) return undefined;
  if (response.action !== 'accept') return response.action === 'decline' ? 'decline' : 'cancel';
  return isRecord(response.content) && response.content.approve === true ? 'accept' : 'decline';
}
