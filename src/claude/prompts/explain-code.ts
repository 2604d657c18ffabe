import { AppError } from '../../domain/errors.ts';
import type { Prompt } from '../../operation.ts';
import { codeBlock, LANGUAGE, required } from './code-block.ts';

const LEVELS: Readonly<Record<string, string>> = {
  brief: 'Explain in a few sentences what the code below does.',
  medium: 'Explain what the code below does and how: its parts, the data between them, and what it depends on.',
  detailed:
    'Explain the code below step by step, with its edge cases, its assumptions and the reasons for its structure.',
};

export const explainCode: Prompt = {
  name: 'explain_code',
  title: 'Explain code',
  description: 'Explains what code does.',
  right: 'read',
  arguments: [
    { name: 'code', description: 'The code.', required: true },
    LANGUAGE,
    { name: 'detail_level', description: 'brief, medium (default) or detailed.', required: false },
  ],
  async get(args) {
    const code = required(args, 'code');
    const level = args.detail_level || 'medium';
    const request = Object.hasOwn(LEVELS, level) ? LEVELS[level] : undefined;
    if (request === undefined) {
      throw new AppError('VALIDATION_ERROR', 'detail_level must be brief, medium or detailed.', {
        field: 'detail_level',
      });
    }
    return { description: 'An explanation of code.', text: [request, '', codeBlock(code, args.language)].join('\n') };
  },
  complete: async (argument, prefix) =>
    argument === 'detail_level' ? Object.keys(LEVELS).filter((level) => level.startsWith(prefix)) : [],
};
