const WORDS = /_(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)|API_?KEY|ACCESS_TOKEN|PRIVATE_KEY/;
/** Beginnings of longer words, such as PATH, KEYWORDS and AUTHOR. */
const SHORT_WORDS = /_(PAT|KEY|AUTH|PASS)S?(_|\d|$)/;
const HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie']);
const CREDENTIALS_IN_URL = /^[a-z][a-z\d+.-]*:\/\/[^/?#\s@]*:[^/?#\s@]+@/i;
const KNOWN_TOKEN = /^(sk-|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|AKIA[A-Z\d]{12})/;
const FLAG = /^--?(.*[-_])?(token|secret|password|passwd|passphrase|pat|api[-_]?key|access[-_]?key|credentials?)$/i;

/** Whether a variable is probably a secret, judged by its name. `apiKey` and `api-key` are read as `API_KEY`. */
export function isSecretName(name: string): boolean {
  const words = `_${name
    .slice(0, 200)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z\d]+/g, '_')
    .toUpperCase()}`;
  return WORDS.test(words) || SHORT_WORDS.test(words);
}

export function isSecretHeader(name: string): boolean {
  return HEADERS.has(name.toLowerCase()) || isSecretName(name);
}

/** Whether a value is a secret by its form: a token of a well-known service, or a URL with a password. */
export function isSecretValue(value: string): boolean {
  return CREDENTIALS_IN_URL.test(value) || KNOWN_TOKEN.test(value);
}

/** Whether an argument is probably a secret: `--api-key VALUE`, `--token=VALUE`, `-e TOKEN=VALUE`, `Authorization: …`. */
export function hasSecretArgument(args: readonly string[]): boolean {
  return args.some((argument, index) => {
    const [flag = '', value] = splitOnce(argument, '=');
    if (value !== undefined) return value !== '' && (FLAG.test(flag) || isSecretVariable(flag) || isSecretValue(value));
    const next = args[index + 1];
    if (FLAG.test(argument)) return next !== undefined && !next.startsWith('-');
    return isSecretValue(argument) || isSecretHeaderText(argument);
  });
}

function isSecretVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && isSecretName(name);
}

/** `Authorization: Bearer …`; with `${NAME}` the server itself reads a variable. */
function isSecretHeaderText(argument: string): boolean {
  const [name = '', value] = splitOnce(argument, ':');
  if (value === undefined || !/^[\w-]{1,100}$/.test(name) || !isSecretHeader(name)) return false;
  return !/^(\$\{|$)/.test(value.trim().replace(/^(bearer|basic|token)\s+/i, ''));
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
