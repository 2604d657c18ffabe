import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encode } from 'uqr';
import { qrCodeLines } from './qr-code.ts';

const LINK = 'sgnl://linkdevice?uuid=4BxwEU1yFRwiIrTR3ZcbXg%3D%3D&pub_key=BYzq6Sdr0AQbNXxYh7bQyw1xWg4Zk9mZ0c9tW1u1aB8x';

describe('a QR code in a terminal', () => {
  test('has the modules of its text, two rows in a line, with a light margin on all sides', () => {
    const { data: rows } = encode(LINK, { ecc: 'L', border: 2 });

    const drawn = lightsOf(qrCodeLines(LINK, { width: 80, colour: false }) ?? []);

    assert.deepEqual(
      drawn.slice(0, rows.length),
      rows.map((row) => row.map((isDark) => !isDark)),
    );
    for (const margin of [drawn[0], drawn[1], drawn.at(-1), drawn.at(-2), drawn.map(([first]) => first)]) {
      assert.ok(margin?.every((isLight) => isLight));
    }
    assert.ok(drawn.length / 2 < 24, 'a window of 24 rows shows all of it');
  });

  test('is dark on light with colours, whatever the theme of the terminal', () => {
    const [plain = [], coloured = []] = [false, true].map((colour) => qrCodeLines('abc', { width: 80, colour }));

    const ours = coloured.map((line) => /^\x1b\[38;5;16;48;5;231m(.*)\x1b\[0m$/.exec(line)?.[1] ?? '');
    assert.deepEqual(
      lightsOf(ours).map((row) => row.map((isInk) => !isInk)),
      lightsOf(plain),
    );
  });

  test('is not drawn if it does not fit, or the text is too long for one', () => {
    assert.equal(qrCodeLines('abc', { width: 24, colour: true }), undefined);
    assert.equal(qrCodeLines('x'.repeat(3000), { width: 1000, colour: true }), undefined);
  });
});

/** Which half cells are filled. */
function lightsOf(lines: readonly string[]): boolean[][] {
  return lines.flatMap((line) => [
    [...line].map((sign) => '█▀'.includes(sign)),
    [...line].map((sign) => '█▄'.includes(sign)),
  ]);
}
