/** What is known of a source without reading the store. */
export interface KnownSource {
  id: string;
  kind: string;
  name: string;
  /** Whether clients can send through it. */
  canSend: boolean;
  /** It is not connected until somebody does something about it. */
  isOff: boolean;
}
