type Listener = (event: { data: string }) => void;

/** As much of the browser's EventSource as the oldest SDK needs: it expects a global one, which Node lacks. */
export class MinimalEventSource {
  onmessage: Listener | undefined;
  onerror: ((event: { message: string }) => void) | undefined;
  readonly #listeners = new Map<string, Listener>();
  readonly #stop = new AbortController();

  constructor(url: string) {
    this.#follow(url).catch((error: unknown) => this.onerror?.({ message: String(error) }));
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  close(): void {
    this.onerror = undefined;
    this.#stop.abort();
  }

  async #follow(url: string): Promise<void> {
    const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: this.#stop.signal });
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = `${rest}${text}`.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) this.#dispatch(event);
    }
  }

  #dispatch(event: string): void {
    const fields = new Map(
      event.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]),
    );
    const data = fields.get('data');
    if (data === undefined) return;
    const type = fields.get('event') ?? 'message';
    if (type === 'message') this.onmessage?.({ data });
    else this.#listeners.get(type)?.({ data });
  }
}
