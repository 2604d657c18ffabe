import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { PromptEntry, ToolEntry } from '../../src/mcp/registry.ts';
import { clientAbilities, interactiveTool, said } from './fixture-entry.ts';

interface State {
  step: string;
}

/** Signs the request state that the client returns with its next call. */
export const stateCodec = createRequestStateCodec<State>({ key: 'a key of thirty-two bytes or more' });

/** Tools that end a call with a request for input and continue when the call is repeated with the answer. */
export const questioningTools: readonly ToolEntry[] = [
  interactiveTool('test_input_required_result_elicitation', 'Asks for a name.', async (_, context) => {
    const name = wordOf(context, 'user_name', 'name');
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName } }) : said(`Hello, ${name}!`);
  }),
  interactiveTool('test_streaming_elicitation', 'Asks for a name.', async (_, context) => {
    const name = wordOf(context, 'user_name', 'name');
    return name === undefined ? inputRequired({ inputRequests: { user_name: askName } }) : said(`Hello, ${name}!`);
  }),
  interactiveTool('test_input_required_result_sampling', "Asks the client's model.", async (_, context) => {
    const answer = sampled(context, 'capital_question');
    return answer === undefined
      ? inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
      : said(`The model says: ${answer}`);
  }),
  interactiveTool('test_input_required_result_list_roots', 'Asks for the roots.', async (_, context) => {
    const roots = rootsOf(context, 'client_roots');
    return roots === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : said(`Roots: ${roots}`);
  }),
  interactiveTool('test_input_required_result_request_state', 'Asks, and remembers through the client.', askWithState),
  interactiveTool('test_input_required_result_tampered_state', 'Asks, and trusts only its own state.', askWithState),
  interactiveTool('test_input_required_result_multiple_inputs', 'Asks three things at once.', async (_, context) => {
    const name = wordOf(context, 'user_name', 'name');
    const greeting = sampled(context, 'greeting');
    const roots = rootsOf(context, 'client_roots');
    if (name !== undefined && greeting !== undefined && roots !== undefined) {
      return said(`${greeting}, ${name}: ${roots}`);
    }
    return inputRequired({
      inputRequests: {
        user_name: askName,
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await stateCodec.mint({ step: 'asked' }),
    });
  }),
  interactiveTool('test_input_required_result_multi_round', 'Asks twice.', async (_, context) => {
    const step = context.mcpReq.requestState<State>()?.step;
    const color = wordOf(context, 'step2', 'color');
    if (step === 'two' && color !== undefined) return said(`Favourite color: ${color}`);
    if (step === 'two' || (step === 'one' && wordOf(context, 'step1', 'name') !== undefined)) {
      return inputRequired({
        inputRequests: { step2: elicit('Step 2: What is your favorite color?', 'color', 'string') },
        requestState: await stateCodec.mint({ step: 'two' }),
      });
    }
    return inputRequired({
      inputRequests: { step1: elicit('Step 1: What is your name?', 'name', 'string') },
      requestState: await stateCodec.mint({ step: 'one' }),
    });
  }),
  interactiveTool(
    'test_input_required_result_capabilities',
    'Asks only what the client can answer.',
    async (_, context) => {
      const can = clientAbilities(context);
      const inputRequests: InputRequests = {
        ...(can.elicitation ? { user_name: askName } : {}),
        ...(can.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
        ...(can.roots ? { client_roots: inputRequired.listRoots() } : {}),
      };
      return inputRequired({ inputRequests });
    },
  ),
];

export const questioningPrompt: PromptEntry = {
  definition: { name: 'test_input_required_result_prompt', description: 'Asks before it answers.' },
  async get(_, context) {
    const words = wordOf(context, 'user_context', 'context');
    if (words !== undefined) return { messages: [{ role: 'user', content: { type: 'text', text: words } }] };
    const question = elicit('What context should the prompt use?', 'context', 'string');
    return inputRequired({ inputRequests: { user_context: question } });
  },
};

async function askWithState(_: unknown, context: ServerContext) {
  const { mcpReq } = context;
  if (mcpReq.requestState<State>()?.step === 'asked' && acceptedContent(mcpReq.inputResponses, 'confirm')) {
    return said('state-ok');
  }
  return inputRequired({
    inputRequests: { confirm: elicit('Please confirm', 'ok', 'boolean') },
    requestState: await stateCodec.mint({ step: 'asked' }),
  });
}

function elicit(message: string, field: string, type: 'string' | 'boolean') {
  return inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'string' ? { type } : { type } },
      required: [field],
    },
  });
}

const askName = elicit('What is your name?', 'name', 'string');

function sample(text: string, maxTokens: number) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });
}

function wordOf({ mcpReq }: ServerContext, key: string, field: string): string | undefined {
  const value = acceptedContent(mcpReq.inputResponses, key)?.[field];
  return typeof value === 'string' ? value : undefined;
}

function sampled({ mcpReq }: ServerContext, key: string): string | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  if (view.kind !== 'sampling') return undefined;
  const { content } = view.result;
  return Array.isArray(content) || content.type !== 'text' ? '' : content.text;
}

function rootsOf({ mcpReq }: ServerContext, key: string): string | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === 'roots' ? view.roots.map((root) => root.uri).join(', ') : undefined;
}
