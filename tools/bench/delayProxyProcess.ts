import { startDelayProxy } from './delayProxy.ts';

// The process that `forkDelayProxy.ts` starts.

/** Sets the delay, if present. The process replies with `DelayProxy.seen`. */
export interface ProxyCommand {
  delayMs?: number;
}

const proxy = await startDelayProxy(process.argv[2] ?? '');
process.on('message', ({ delayMs = proxy.delayMs }: ProxyCommand) => {
  proxy.delayMs = delayMs;
  process.send?.(proxy.seen);
});
// The parent process ended.
process.on('disconnect', () => process.exit());
process.send?.(proxy.url);
