// Preloaded into a measured process: tells its parent, when asked, what it has used so far.
process.on('message', (question) => {
  if (question !== 'usage' && question !== 'collect') return;
  if (question === 'collect') globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ cpu: process.cpuUsage(), rss, heapUsed });
});
// Who measures it has gone, however that ended.
process.on('disconnect', () => process.exit(1));
// Listening must not keep a process up that is done.
process.channel?.unref();
