/** What is looked at. */
interface Watched {
  /** Grows with what the server sends. */
  received(): number;
  /** Whether the server owes an answer. */
  isWaiting(): boolean;
  /** Says something to a server that has been quiet. */
  greet(): void;
  /** The server has been silent for too long. */
  giveUp(): void;
}

/**
 * Keeps a quiet connection alive, and notices one that is dead. imapflow's own time limit does not: it waits for ever if a server
 * falls silent while IDLE begins, and it ends connections whose reader is slow.
 */
export function startWatchdog(silenceMs: number, { received, isWaiting, greet, giveUp }: Watched): () => void {
  let bytes = received();
  let lastSign = performance.now();
  let wasWaiting = false;
  const timer = setInterval(() => {
    const now = performance.now();
    const waits = isWaiting();
    if (received() !== bytes || waits !== wasWaiting) lastSign = now;
    bytes = received();
    wasWaiting = waits;
    if (waits && now - lastSign >= silenceMs) giveUp();
    else if (!waits && now - lastSign >= silenceMs / 2) greet();
  }, silenceMs / 4).unref();
  return () => clearInterval(timer);
}
