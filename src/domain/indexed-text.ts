/** The words of a message as the store indexes them. Another thread can split texts into words for the one that stores them. */
export interface IndexedText {
  /** Its tokens in order; bytes are UTF-8. */
  words: string | Uint8Array<ArrayBuffer>;
  /** The words in it that are not only of ASCII letters and digits; those are found in `words`. */
  terms: readonly string[];
  /** All words in it that were in no text before it, where one thread splits all texts that another one stores. */
  newTerms?: readonly string[];
}
