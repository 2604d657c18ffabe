/** Characters that have a meaning in paths on some system, or in a shell, or that are not seen. */
const UNSAFE = /[\\/:*?"<>|`$;&!'\p{C}\p{Z}]+/gu;
const MAX_BYTES = 120;
/** Names of devices on Windows, where the folder may be opened from. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A name under which a file can be saved, from one that a stranger wrote: never a path, never hidden, never empty. */
export function safeFileName(name: string | undefined, fallback: string): string {
  const last = (name ?? '').split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replaceAll(UNSAFE, '_')
    .replace(/^[.\-_]+/, '')
    .replace(/[.\s]+$/, '');
  if (plain === '') return fallback;
  return shortened(DEVICES.test(plain) ? `_${plain}` : plain);
}

/** Keeps the ending, which tells what the file is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? '';
  const characters = [...name.slice(0, name.length - ending.length)];
  while (Buffer.byteLength(characters.join('') + ending) > MAX_BYTES) characters.pop();
  return characters.join('') + ending;
}
