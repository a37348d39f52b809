// Preloaded into a measured process: sends its resource use to its parent process on request.
process.on('message', (request) => {
  if (request !== 'usage' && request !== 'collect') return;
  if (request === 'collect') globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ cpu: process.cpuUsage(), rss, heapUsed });
});
// The parent process has ended.
process.on('disconnect', () => process.exit(1));
// The listener must not keep a finished process alive.
process.channel?.unref();
