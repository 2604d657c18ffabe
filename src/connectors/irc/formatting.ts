/** Colours are a code and one or two numbers, which are no part of the text: `\x034,12red on blue`. */
const COLOURS = /\x03(\d{1,2}(,\d{1,2})?)?|\x04([0-9a-f]{6}(,[0-9a-f]{6})?)?/gi;
const OTHER_CONTROLS = /[\x00-\x08\x0a-\x1f\x7f]/g;

/** The text without bold, italics, colours and other control characters. */
export function plainText(text: string): string {
  return text.replace(COLOURS, '').replace(OTHER_CONTROLS, '');
}
