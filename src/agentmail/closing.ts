type Close = () => unknown;

/** What has been opened and is to be closed at the end, in this order. What is opened after the end is closed at once. */
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
