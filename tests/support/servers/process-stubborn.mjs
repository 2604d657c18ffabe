// Ignores every signal that can be ignored, and the end of its input.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {});
setInterval(() => {}, 60_000);
process.stdin.resume();
process.stdout.write(`ready ${process.pid}\n`);
