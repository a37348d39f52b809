// Preloaded into a measured process; reports its resource use to its parent on request.
process.on('message', (question) => {
  if (question !== 'usage' && question !== 'collect') return;
  if (question === 'collect') globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ cpu: process.cpuUsage(), rss, heapUsed });
});
// The measuring process has ended.
process.on('disconnect', () => process.exit(1));
// The listener must not keep a finished process alive.
process.channel?.unref();
