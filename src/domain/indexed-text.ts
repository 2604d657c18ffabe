/** The words of a message as the store indexes them. Another thread can split texts into words for the one that stores them. */
export interface IndexedText {
  /** Its tokens in order; bytes are UTF-8. */
  words: string | Uint8Array<ArrayBuffer>;
  /** The words in it that are not only of ASCII letters and digits; those are found in `words`. */
  terms: readonly string[];
  /** Where one thread splits the texts that another one stores. */
  newTerms?: NewTerms;
}

/** What is new in a text, compared with those that were split before it. */
export interface NewTerms {
  /** How many those were. */
  earlier: number;
  /** All words that were in none of them. */
  terms: readonly string[];
}
