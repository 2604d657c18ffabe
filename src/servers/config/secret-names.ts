const WORDS = ['TOKEN', 'PAT', 'KEY', 'SECRET', 'PASSWORD', 'PASSWD', 'CREDENTIAL', 'CREDENTIALS', 'AUTH', 'APIKEY'];
const SECRET_HEADERS = /^(?:proxy-)?authorization$|^cookie$/i;

/** Whether a variable or header of this name most likely holds a secret: `GITHUB_TOKEN`, `x-api-key`, `Authorization`. */
export function looksSecret(name: string): boolean {
  if (SECRET_HEADERS.test(name)) return true;
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/);
  return parts.some((part) => WORDS.includes(part));
}
