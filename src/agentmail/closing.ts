type Close = () => unknown;

/** Callbacks that close what was opened, in this order. One that is added after closing runs immediately. */
export function createClosing() {
  const open: Close[] = [];
  let isOver = false;
  return {
    async add(close: Close): Promise<void> {
      if (isOver) await close();
      else open.push(close);
    },
    async closeAll(): Promise<void> {
      isOver = true;
      for (const close of open.splice(0)) await close();
    },
  };
}
