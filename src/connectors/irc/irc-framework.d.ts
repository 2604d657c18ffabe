/**
 * The part of the library that we use; it has no types. Its parts are named one by one, because the whole brings tables
 * of all encodings and a proxy's client with it, for a transport that is not used.
 */
declare module 'irc-framework/src/client.js' {
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
    /** Called with `new`. */
    transport: unknown;
  }

  export default class Client {
    user: { nick: string };
    network: {
      options: Record<string, unknown>;
      cap: { isEnabled(name: string): boolean };
    };
    requestCap(names: readonly string[]): void;
    connect(options: IrcOptions): void;
    changeNick(nick: string): void;
    on(event: string, listener: (event: Record<string, unknown>) => void): void;
  }
}

declare module 'irc-framework/src/irclineparser.js' {
  export interface IrcLine {
    tags: Record<string, string>;
    prefix: string;
    nick: string;
    command: string;
    params: string[];
  }

  export default function ircLineParser(line: string): IrcLine | undefined;
}
