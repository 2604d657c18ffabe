import type { Prompt } from '../../operation.ts';
import { codeBlock, LANGUAGE, required } from './code-block.ts';

export const debugHelp: Prompt = {
  name: 'debug_help',
  title: 'Find an error',
  description: 'Helps to find the cause of an error in code.',
  right: 'read',
  arguments: [
    { name: 'code', description: 'The code.', required: true },
    { name: 'error', description: 'The error message, or what goes wrong.', required: true },
    LANGUAGE,
  ],
  async get(args) {
    const [code, error] = [required(args, 'code'), required(args, 'error')];
    return {
      description: 'The cause of an error.',
      text: [
        'Find the cause of the error below. Name the line, explain how the error comes about, show the fix, and say how to check it.',
        'If the code is not enough to be sure, say what to look at next.',
        '',
        'Error:',
        codeBlock(error),
        '',
        'Code:',
        codeBlock(code, args.language),
      ].join('\n'),
    };
  },
};
