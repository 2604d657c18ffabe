const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [digit, value]),
);

/** The segments of a source map's `mappings`: where a generated position comes from. All numbers count from 0. */
export function segmentsOf(mappings) {
  const segments = [];
  let [source, line, column] = [0, 0, 0];
  mappings.split(';').forEach((text, generatedLine) => {
    let generatedColumn = 0;
    for (const segment of text === '' ? [] : text.split(',')) {
      const [columns, sources, lines, sourceColumns] = numbersOf(segment);
      generatedColumn += columns;
      if (sources === undefined) continue;
      source += sources;
      line += lines;
      column += sourceColumns;
      segments.push({ generatedLine, generatedColumn, source, line, column });
    }
  });
  return segments;
}

/** Base 64 VLQ: five bits per digit, least significant first, the sign in the lowest bit. */
function numbersOf(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const digit of text) {
    const bits = DIGITS.get(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
