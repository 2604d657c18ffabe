import { Anthropic } from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { BetaMessageStream as Stream } from '@anthropic-ai/sdk/lib/BetaMessageStream';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { AppError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Log } from '../../lib/log.ts';
import { toApiError } from './api-error.ts';
import type { ClaudeApi, ClaudeModel, ClaudeReply, ClaudeRequest, ClaudeTool, ReplyOptions } from './request.ts';

export interface ClientSettings {
  apiKey: string;
  baseUrl: string | undefined;
  timeoutMs: number;
  maxRetries: number;
}

const PUBLIC_API = 'https://api.anthropic.com';
const MAX_MODELS = 1_000;

type Message = Awaited<ReturnType<Stream['finalMessage']>>;

/** The client of the Claude API; loaded with the first request. */
export function createClaudeApi(
  { apiKey, baseUrl = PUBLIC_API, timeoutMs, maxRetries }: ClientSettings,
  log: Log,
): ClaudeApi {
  const client = new Anthropic({
    apiKey,
    authToken: null,
    baseURL: baseUrl,
    timeout: timeoutMs,
    maxRetries,
    // Its own logger would write to standard output.
    logger: sdkLogger(log),
    logLevel: 'warn',
  });

  /** An answer that breaks off before any of it arrived is requested once more: nothing was shown or done. */
  async function ask(request: ClaudeRequest, options: ReplyOptions, isAgain = false): Promise<ClaudeReply> {
    const stream = client.beta.messages.stream(paramsOf(request), { signal: options.signal });
    const progress = follow(stream, options);
    try {
      return toReply(await stream.finalMessage(), stream);
    } catch (thrown) {
      if (!isAgain && mayRetry(thrown, progress, options.signal)) return ask(request, options, true);
      throw withPartial(failed(thrown), stream);
    }
  }

  /** What the API said is only logged. */
  function failed(thrown: unknown): AppError {
    const error = toApiError(thrown);
    if (error !== thrown) log.warn({ err: error.cause, code: error.code }, 'a request to the Claude API failed');
    return error;
  }

  const converse: ClaudeApi['converse'] = async (request, tools, hooks) => {
    const history = [...request.messages];
    let isAgain = false;
    for (;;) {
      const outcome = await steps(history);
      if (outcome === 'done') return;
      if (isAgain) throw outcome;
      isAgain = true;
    }

    /** Runs the loop. `history` holds all that was answered, so that it can be continued. */
    async function steps(messages: typeof history): Promise<'done' | Error> {
      const runner = client.beta.messages.toolRunner(
        {
          ...paramsOf({ ...request, messages }),
          tools: tools.map(runnable),
          stream: true,
          // Threads of the server are a cache of this history; gateways that do not know them refuse the request.
          thread: false,
        },
        { signal: hooks.signal },
      );
      if (endsWithCalls(messages)) {
        const results = await runner.generateToolResponse();
        if (results && !(await pass(results.content as unknown as JsonObject[]))) return 'done';
        if (results) runner.pushMessages(results);
      }
      for await (const stream of runner) {
        const progress = follow(stream, hooks);
        let reply: ClaudeReply;
        try {
          reply = toReply(await stream.finalMessage(), stream);
        } catch (thrown) {
          const error = withPartial(failed(thrown), stream);
          if (mayRetry(thrown, progress, hooks.signal)) return error;
          throw error;
        }
        messages.push({ role: 'assistant', content: reply.content });
        if (!(await hooks.onReply(reply))) return 'done';
        const results = await runner.generateToolResponse();
        if (results && !(await pass(results.content as unknown as JsonObject[]))) return 'done';
      }
      return 'done';

      async function pass(results: readonly JsonObject[]): Promise<boolean> {
        messages.push({ role: 'user', content: results });
        return hooks.onResults(results);
      }
    }
  };

  return {
    ask,
    async converse(request, tools, hooks) {
      try {
        await converse(request, tools, hooks);
      } catch (thrown) {
        throw failed(thrown);
      }
    },
    async models(signal) {
      const models: ClaudeModel[] = [];
      try {
        for await (const model of client.models.list({}, { signal })) {
          models.push(toModel(model));
          if (models.length >= MAX_MODELS) break;
        }
      } catch (thrown) {
        throw failed(thrown);
      }
      return models;
    },
  };
}

interface Progress {
  hasText: boolean;
}

function follow(stream: Stream, { onText }: ReplyOptions): Progress {
  const progress: Progress = { hasText: false };
  stream.on('text', (part) => {
    progress.hasText = true;
    onText?.(part);
  });
  // Thrown by `finalMessage`, too; without a listener it would end the process.
  stream.on('error', () => {});
  return progress;
}

/** The client itself repeats requests that got no answer. An answer that broke off has no status. */
function mayRetry(thrown: unknown, { hasText }: Progress, signal: AbortSignal): boolean {
  if (hasText || signal.aborted) return false;
  return !(thrown instanceof Anthropic.APIError) || (thrown.status === undefined && thrown.type !== null);
}

/** Marks an error with the text that had arrived. */
function withPartial<T extends Error>(error: T, stream: Stream): T {
  const { currentMessage } = stream;
  const text = (currentMessage?.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return text === '' ? error : Object.assign(error, { partialText: text });
}

function paramsOf({ model, maxTokens, system, effort, stopSequences, messages }: ClaudeRequest) {
  return {
    model,
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(stopSequences === undefined || stopSequences.length === 0 ? {} : { stop_sequences: [...stopSequences] }),
    cache_control: { type: 'ephemeral' as const },
    // The blocks are as the API gave them, or text.
    messages: messages.map(({ role, content }) => ({ role, content: content as never })),
  };
}

function runnable({ name, description, inputSchema, run }: ClaudeTool) {
  return betaTool({
    name,
    description,
    inputSchema: inputSchema as { type: 'object' },
    async run(input, context) {
      const signal = context?.signal ?? new AbortController().signal;
      const { isError, texts } = await run((input ?? {}) as JsonObject, { id: context?.toolUse.id ?? '', signal });
      const content = texts.map((text) => ({ type: 'text' as const, text }));
      if (isError) throw new ToolError(content);
      return content;
    },
  });
}

function endsWithCalls(messages: readonly { role: string; content: readonly JsonObject[] }[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && last.content.some(({ type }) => type === 'tool_use');
}

function toReply(message: Message, stream: Stream): ClaudeReply {
  const { usage } = message;
  const requestId = stream.request_id;
  return {
    model: message.model,
    content: JSON.parse(JSON.stringify(message.content)) as JsonObject[],
    stopReason: message.stop_reason ?? 'end_turn',
    usage: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cacheRead: usage.cache_read_input_tokens ?? 0,
      cacheWrite: usage.cache_creation_input_tokens ?? 0,
    },
    ...(requestId ? { requestId } : {}),
  };
}

function toModel(model: Anthropic.ModelInfo): ClaudeModel {
  return {
    id: model.id,
    name: model.display_name,
    ...(model.line ? { line: model.line } : {}),
    lifecycle: model.lifecycle,
    ...(model.max_input_tokens === null ? {} : { maxInputTokens: model.max_input_tokens }),
    ...(model.max_tokens === null ? {} : { maxOutputTokens: model.max_tokens }),
    ...(model.retires_at === null ? {} : { retiresAt: model.retires_at }),
    createdAt: model.created_at,
  };
}

function sdkLogger(log: Log) {
  const write = (level: 'debug' | 'warn') => (text: string) => log[level]({}, `the client of the Claude API: ${text}`);
  return { error: write('warn'), warn: write('warn'), info: write('debug'), debug: write('debug') };
}
