/**
 * How the main prompt of a program looks when it waits for the user. Rows are without styles and trailing blanks.
 * Recorded screens of each program are in `tests/support/agentmail/screens`; anything that does not fit is a dialog.
 */
export interface MainPrompt {
  /** Rows above the field, from the nearest upwards. */
  above: readonly RegExp[];
  /** First row of the field: an indent, and a sign at which the field begins. */
  mark: RegExp;
  /** Columns from the sign to the first character of the input. */
  inset: number;
  /** Faint text in an empty field. */
  placeholder: RegExp;
  /** Rows below the field, from the nearest downwards. */
  below: readonly RegExp[];
  /** One of the rows below those. */
  footer?: RegExp;
  /** One of the rows below an empty field. */
  footerOfEmpty?: RegExp;
  /** A row near the field while the program works; text that is submitted then would interrupt or be queued. */
  busy: RegExp;
  /** How far above the field that row can be. */
  busyRows?: number;
  /** Its hooks run when it is started: without a status it does not take part in agent mail. */
  reportsStart?: boolean;
}

const RULE = /^ *─{20,}$/;

const CLAUDE: MainPrompt = {
  // With the name of the session, if it has one.
  above: [/^─{10,}(?: .+ ─+)?$/],
  mark: /^❯(?: |$)/,
  inset: 2,
  // Suggestions differ each time.
  placeholder: /./,
  below: [/^─{20,}$/],
  // Below a status line of the user's own. Searches, menus and questions are shown in its place.
  footer: /^ {2}(?:-- INSERT -- )?(?:⏵⏵|⏸) .+ on\b|^ {2}\? for shortcuts/,
  busy: /\besc to interrupt\b/,
  reportsStart: true,
};

const CODEX: MainPrompt = {
  above: [/^$/],
  mark: /^›(?: |$)/,
  inset: 2,
  placeholder: /^Ask Codex to do anything$/,
  // In place of the last row: a search of the history, the name of a mode.
  below: [/^$/, /^ {2}\S.* · [~/]/, /^$|^ {20,}⚠|^ {2}tab to queue\b|^ {2}.*\? for shortcuts\b/],
  footerOfEmpty: /^ {2}.*\? for shortcuts\b/,
  busy: /^• .*\besc to interrupt\)/,
};

const GEMINI: MainPrompt = {
  above: [/^▄{20,}$|^$/],
  mark: /^ >(?: |$)/,
  inset: 2,
  placeholder: /^Type your message or @path\/to\/file$/,
  below: [/^▀{20,}$|^$/],
  footer: /^ workspace \(\/directory\) /,
  busy: /\(esc to cancel, /,
  reportsStart: true,
};

const COPILOT: MainPrompt = {
  above: [RULE],
  mark: /^❯(?: |$)/,
  inset: 2,
  placeholder: /^$/,
  below: [RULE],
  footer: /^ (?:← open sidebar · )?(?:Interactive|Plan|Autopilot) · |^ \S Working\b/,
  busy: /^ \S Working\b/,
};

const OPENCODE: MainPrompt = {
  above: [/^ *┃$/, /^(?! *┃)/],
  mark: /^ *┃(?: {2}|$)/,
  inset: 3,
  placeholder: /^Ask anything… ".+"$/,
  below: [/^ *┃$/, /^ *┃ {2}\S.* · \S/, /^ *╹▀{20,}$/],
  footer: /tab agents {2}ctrl\+p commands$/,
  busy: /\besc interrupt\b/,
};

const QWEN: MainPrompt = {
  above: [RULE],
  mark: /^>(?: |$)/,
  inset: 2,
  placeholder: /^Type your message or @path\/to\/file$/,
  below: [RULE],
  footer: /\(shift \+ tab to cycle\)$|^ {2}\? for shortcuts/,
  busy: /\besc to cancel\)|^ {2}Enter to steer\b/,
};

const CLINE: MainPrompt = {
  above: [RULE],
  mark: /^ *❯(?: |$)/,
  inset: 2,
  placeholder: /^(?:What can I do for you\?|Ask anything\.\.\.)$/,
  below: [RULE],
  footer: /[○●] Plan [○●] Act \(Tab\)$/,
  busy: /^ [\u2800-\u28ff] .*\(esc to cancel\)$/,
  busyRows: 200,
};

/** By the name of the program. */
export const MAIN_PROMPTS: ReadonlyMap<string, MainPrompt> = new Map([
  ['claude', CLAUDE],
  ['claude-code', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
  ['gemini-cli', GEMINI],
  ['copilot', COPILOT],
  ['opencode', OPENCODE],
  ['qwen', QWEN],
  ['qwen-code', QWEN],
  ['cline', CLINE],
]);
