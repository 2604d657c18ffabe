/**
 * The last value of a key in a Git configuration file, in time proportional to its length. Sections and keys are
 * case-insensitive. Subsections and included files are not read.
 */
export function gitSetting(text: string, section: string, key: string): string | undefined {
  let isInSection = false;
  let value: string | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) isInSection = trimmed.toLowerCase() === `[${section}]`;
    else if (isInSection) value = settingOn(trimmed, key) ?? value;
  }
  return value;
}

function settingOn(line: string, key: string): string | undefined {
  const equals = line.indexOf('=');
  if (equals === -1 || line.slice(0, equals).trim().toLowerCase() !== key) return undefined;
  const value = line.slice(equals + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1) : value;
}
