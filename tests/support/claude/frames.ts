type Block = Record<string, unknown> & { type: string };

/** An answer of the double, as the API gives it. */
export interface ApiAnswer {
  type: 'message';
  content: readonly Block[];
  stop_reason: string;
  usage: object & { input_tokens: number; output_tokens: number };
}

interface AnswerOptions {
  stop_reason?: string;
  usage?: { input_tokens?: number; output_tokens?: number };
  model?: string;
}

let answers = 0;

export function answerOf(content: readonly Block[], options: AnswerOptions = {}): ApiAnswer {
  answers += 1;
  const isCall = content.some(({ type }) => type === 'tool_use');
  const facts = {
    id: `msg_${answers}`,
    type: 'message' as const,
    role: 'assistant',
    model: options.model ?? 'claude-opus-5-5',
    content,
    container: null,
    diagnostics: null,
    stop_details: null,
    stop_reason: options.stop_reason ?? (isCall ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      cache_creation: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      inference_geo: null,
      input_tokens: 12,
      output_tokens: 7,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      speed: null,
      ...options.usage,
    },
  };
  return facts;
}

export function says(text: string, options?: AnswerOptions): ApiAnswer {
  return answerOf([{ type: 'text', text }], options);
}

let calls = 0;

/** A call of a tool, as a block of an answer. */
export function toolUse(name: string, input: object = {}, id = `toolu_${++calls}`): Block {
  return { type: 'tool_use', id, name, input };
}

export function calling(name: string, input: object = {}): ApiAnswer {
  return answerOf([toolUse(name, input)]);
}

/** The server-sent events of an answer. */
export function* framesOf(answer: ApiAnswer, chunk = 5): Generator<string> {
  yield frame('message_start', {
    message: { ...answer, content: [], stop_reason: null, usage: { ...answer.usage, output_tokens: 1 } },
  });
  yield frame('ping', {});
  for (const [index, block] of answer.content.entries()) {
    yield frame('content_block_start', { index, content_block: emptied(block) });
    for (const delta of deltasOf(block, chunk)) yield frame('content_block_delta', { index, delta });
    yield frame('content_block_stop', { index });
  }
  const { input_tokens, output_tokens } = answer.usage;
  yield frame('message_delta', {
    delta: { container: null, stop_details: null, stop_reason: answer.stop_reason, stop_sequence: null },
    usage: { ...answer.usage, input_tokens, output_tokens },
  });
  yield frame('message_stop', {});
}

export function frame(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function emptied(block: Block): Block {
  if (block.type === 'text') return { type: 'text', text: '', citations: null };
  if (block.type === 'tool_use') return { ...block, input: {} };
  return { type: 'thinking', thinking: '', signature: '' };
}

function* deltasOf(block: Block, chunk: number): Generator<object> {
  if (block.type === 'text') {
    for (const text of pieces(String(block.text), chunk)) yield { type: 'text_delta', text };
  } else if (block.type === 'tool_use') {
    yield { type: 'input_json_delta', partial_json: '' };
    for (const partial of pieces(JSON.stringify(block.input), chunk)) {
      yield { type: 'input_json_delta', partial_json: partial };
    }
  } else {
    yield { type: 'thinking_delta', thinking: block.thinking };
    yield { type: 'signature_delta', signature: block.signature };
  }
}

function* pieces(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
