/** Whether tokens may be sent there, or a person: HTTPS, or plain HTTP on this machine. */
export function isSecureUrl(url: string): boolean {
  return (
    URL.canParse(url) && (new URL(url).protocol === 'https:' || (/^http:/i.test(url) && isLoopbackHost(new URL(url))))
  );
}

export function isLoopbackHost({ hostname }: URL): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
}
