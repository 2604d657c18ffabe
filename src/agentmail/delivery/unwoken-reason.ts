/** Why the mailman did not wake an agent: codes, and what they mean to the user. */
const REASONS = {
  'pane-gone': 'its pane is gone',
  'copy-mode': 'its pane is in copy mode',
  'pane-dead': 'its program has ended',
  'input-off': 'the input of its pane is turned off',
  synchronized: 'what is typed into its pane goes to other panes too',
  'foreground-unknown': 'the program in the foreground of its pane is unknown',
  'not-an-agent': 'the program in the foreground of its pane is not a known agent',
  'prompt-unknown': 'it is not known how the prompt of its program looks',
  'no-prompt': 'its program shows a dialog, or a screen that is not known',
  working: 'its program is working',
  draft: 'its prompt contains a draft',
  'too-narrow': 'its pane is too narrow',
  'user-typing': 'the user is typing in its pane',
  'screen-changed': 'its screen changed before anything was typed',
  'not-shown': 'its program did not show what was typed, which was removed',
  'user-typed-too': 'the user typed at the same time; what the mailman had typed was removed',
  'not-submitted': 'its program did not accept the Enter key; what was typed was removed',
  'not-removed': 'its program did not accept what was typed, and it could not be removed',
} as const;

export type UnwokenReason = keyof typeof REASONS;

export function unwokenText(reason: UnwokenReason): string {
  return REASONS[reason];
}

export function isUnwokenReason(code: string): code is UnwokenReason {
  return Object.hasOwn(REASONS, code);
}
