import type { Prompt } from '../../operation.ts';
import { codeBlock, LANGUAGE, required } from './code-block.ts';

export const codeReview: Prompt = {
  name: 'code_review',
  title: 'Review code',
  description: 'Reviews code for errors, risks and readability.',
  right: 'read',
  arguments: [{ name: 'code', description: 'The code.', required: true }, LANGUAGE],
  async get(args) {
    const code = required(args, 'code');
    return {
      description: 'A review of code.',
      text: [
        'Review the code below. Report errors first, then risks for security and performance, then what makes it hard to read.',
        'For each finding name the line, say why it matters, and show the change. Say so if you find nothing.',
        '',
        codeBlock(code, args.language),
      ].join('\n'),
    };
  },
};
