const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** A readable size: `512 bytes`, `1.5 MB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (Number(size.toFixed(1)) >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || Number.isInteger(size) ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
