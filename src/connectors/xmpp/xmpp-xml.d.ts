/** Types for the part of the library that is used. */
declare module '@xmpp/xml' {
  export interface Element {
    name: string;
    attrs: Record<string, string | undefined>;
    parent: Element | null;
    children: (Element | string)[];
    is(name: string, xmlns?: string): boolean;
    getNS(): string | undefined;
    getChild(name: string, xmlns?: string): Element | undefined;
    getChildren(name: string, xmlns?: string): Element[];
    getChildElements(): Element[];
    getChildText(name: string, xmlns?: string): string | null;
    getText(): string;
    append(...children: Element[]): void;
    toString(): string;
  }

  export interface Parser {
    on(event: 'start' | 'element' | 'end', listener: (element: Element) => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
    removeAllListeners(): void;
    write(text: string): void;
  }

  export const xml: {
    (
      name: string,
      attrs?: string | Record<string, string | undefined>,
      ...children: (Element | string | undefined)[]
    ): Element;
    Parser: new () => Parser;
  };
}
