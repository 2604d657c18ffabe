/** What we use of the library, which has no types of its own. */
declare module 'irc-framework' {
  interface IrcLine {
    tags: Record<string, string>;
    prefix: string;
    nick: string;
    command: string;
    params: string[];
  }

  /** What the library asks of a transport. It makes one with `new`, and listens for `open`, `line` and `close`. */
  interface IrcTransport {
    on(event: 'open' | 'line' | 'close' | 'debug' | 'extra', listener: (...args: never[]) => void): unknown;
    removeAllListeners(): unknown;
    connect(): void;
    writeLine(line: string, written?: () => void): void;
    close(force: boolean): void;
    disposeSocket(): void;
    setEncoding(encoding: string): boolean;
  }

  interface IrcOptions {
    host: string;
    port: number;
    nick: string;
    username: string;
    gecos: string;
    password?: string;
    account: { account?: string; password?: string };
    sasl_disconnect_on_fail: boolean;
    enable_echomessage: boolean;
    auto_reconnect: boolean;
    ping_interval: number;
    ping_timeout: number;
    version: string;
    transport: unknown;
  }

  export class Client {
    user: { nick: string };
    network: {
      options: Record<string, unknown>;
      cap: { isEnabled(name: string): boolean };
    };
    connected: boolean;
    requestCap(names: readonly string[]): void;
    connect(options: IrcOptions): void;
    changeNick(nick: string): void;
    on(event: string, listener: (event: Record<string, unknown>) => void): void;
  }

  export function ircLineParser(line: string): IrcLine | undefined;
}
