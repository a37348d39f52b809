import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { poolEventsOf } from '../../engine/index.ts';
import { openStores } from '../../server/storage/index.ts';
import { createPoolIndexer } from '../../server/vendors/index.ts';
import { createFactoryNode, popularToken } from './factoryNode.ts';

// Builds the pool index of a chain with BLOCKS blocks and POOLS pools from a node in this process that accepts ranges of
// 10,000 blocks. The node takes no time, so the time is that of the index; a real node adds its latency to each range.

const blocks = Number(process.env.BLOCKS ?? 50_000_000);
const pools = Number(process.env.POOLS ?? 10_000_000);
const events = poolEventsOf('polygon');
const node = createFactoryNode({ blocks, pools, factory: '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c' });

const folder = await mkdtemp(join(tmpdir(), 'truefill-index-'));
const stores = await openStores({ file: join(folder, 'truefill.sqlite') }, Date.now);
const store = stores.facts('polygon').poolIndex;
const begun = Date.now();
const limits = { pauseMs: 0, everyMs: 1_000 };
const index = createPoolIndexer({
  endpoints: [node.endpoint],
  store,
  events,
  limits,
  onFault: (notice) => console.error(notice),
});
let peakBytes = 0;
let first: number | undefined;
while (index.state().status !== 'complete') {
  await sleep(250);
  peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  if (first === undefined && (await index.load(popularToken))?.creations.length) first = Date.now() - begun;
}
const seconds = (Date.now() - begun) / 1_000;
const readAt = performance.now();
const found = await index.load(popularToken);
const readMs = performance.now() - readAt;
await index.close();
await stores.close();
const sizes = await Promise.all(
  (await readdir(folder)).map(async (file) => `${file} ${((await stat(join(folder, file))).size / 1e6).toFixed(1)} MB`),
);
await rm(folder, { recursive: true });
console.log(
  `${pools} pools in ${blocks} blocks: ${seconds.toFixed(0)} s, ${node.requests} requests, peak memory ${(peakBytes / 1e6).toFixed(0)} MB`,
);
console.log(
  `First pools of the popular token after ${first} ms; ${found?.creations.length} of its pools read in ${readMs.toFixed(0)} ms`,
);
console.log(sizes.join(', '));
