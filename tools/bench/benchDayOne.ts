import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  byChain,
  createEngine,
  type EnginePorts,
  poolEventsOf,
  type RpcEndpoint,
  type RpcReply,
} from '../../engine/index.ts';
import { reopenChain, startSandbox } from '../../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { openStores } from '../../server/storage/index.ts';
import { createPoolIndexer, createVendors, defaultPoolIndexLimits } from '../../server/vendors/index.ts';
import { openPopular, startVendors } from './dayOneMarket.ts';
import { createFactoryNode } from './factoryNode.ts';

// A popular token is quoted in the first second of a deployment. The node refuses logs of more than 10,000 blocks, and the
// index begins to read a chain of BLOCKS blocks with POOLS pools beside the quote. States come from a local chain.

const blocks = Number(process.env.BLOCKS ?? 50_000_000);
const pools = Number(process.env.POOLS ?? 10_000_000);
const nodeMs = Number(process.env.NODE_MS ?? 50);
const vendorMs = Number(process.env.VENDOR_MS ?? 250);
const watchedMs = Number(process.env.WATCHED_MS ?? 60_000);

const sandbox = await startSandbox({ chains: ['base'] });
const { base } = sandbox.chains;
if (!base) throw new TypeError('Base did not start.');
const { chain, token, pools: listed } = await openPopular(await reopenChain(base, sandbox.wallets));
const vendorServer = await startVendors(token, listed, vendorMs);
const folder = await mkdtemp(join(tmpdir(), 'truefill-day-one-'));
const stores = await openStores({ file: join(folder, 'truefill.sqlite') }, Date.now);

/** The local chain, `nodeMs` away, with or without logs. */
function countedNode(hasLogs: boolean) {
  const inner = createHttpRpcEndpoint({ label: 'base-1', url: chain.rpcUrl, timeoutMs: 20_000 });
  const traffic = { requests: 0, sent: 0, received: 0 };
  const refused: RpcReply = { error: { code: -32_005, message: 'limited to 10000 blocks' } };
  const endpoint: RpcEndpoint = {
    label: 'base-1',
    async send(calls, options) {
      await sleep(nodeMs);
      const replies = (await inner.send(calls, options)).map((reply, at) =>
        !hasLogs && calls[at]?.method === 'eth_getLogs' ? refused : reply,
      );
      traffic.requests += 1;
      traffic.sent += JSON.stringify(calls).length;
      traffic.received += JSON.stringify(replies).length;
      return replies;
    },
  };
  return { endpoint, traffic };
}

async function measure(name: string, hasLogs: boolean, ports: Partial<EnginePorts>) {
  const { endpoint, traffic } = countedNode(hasLogs);
  const engine = createEngine({
    rpc: { base: [endpoint] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    ...ports,
  });
  await engine.start();
  const query = { chain: 'base' as const, tokenIn: token, tokenOut: chain.usdc, size: { tokenIn: '100' } };
  const times: number[] = [];
  let amountOut = 0n;
  for (let count = 0; count < 3; count += 1) {
    Object.assign(traffic, { requests: 0, sent: 0, received: 0 });
    const begun = performance.now();
    ({ amountOut } = await engine.quote(query));
    times.push(performance.now() - begun);
    console.log(`${name}: quote`, { ...traffic, amountOut: `${amountOut}` });
  }
  console.log(`${name}: ${times.map((ms) => ms.toFixed(0)).join(' ms, then ')} ms`);
  return amountOut;
}

const begun = Date.now();
const node = createFactoryNode({ blocks, pools, factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6' });
const index = createPoolIndexer({
  endpoints: [node.endpoint],
  store: stores.facts('base').poolIndex,
  events: poolEventsOf('base'),
  limits: defaultPoolIndexLimits,
  onFault: (notice) => console.error(notice),
});
const url = vendorServer.url;
const { poolHints } = createVendors({
  config: { dexscreener: { url }, geckoterminal: { url }, poolHints: true, timeoutMs: 800 },
  endpoints: [],
  logIndexes: stores.facts('base').logIndexes,
  now: Date.now,
});
const poolIndexes = { base: index };
const hinted = await measure('with hints', false, { poolIndexes, poolHints });
console.log(`answered ${((Date.now() - begun) / 1_000).toFixed(1)} s after the start; vendors`, vendorServer.traffic);
await measure('without hints', false, { poolIndexes });
const full = await measure('all logs', true, {});
console.log(`the answer with hints is ${hinted === full ? '' : 'not '}that of all logs`);
await sleep(Math.max(0, watchedMs - (Date.now() - begun)));
const { percent, secondsLeft } = index.state();
console.log(
  `index after ${((Date.now() - begun) / 1_000).toFixed(0)} s: ${percent} % of ${blocks} blocks, ${node.requests} requests, ${secondsLeft} s left; ` +
    `memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
);
await index.close();
await stores.close();
for (const file of await readdir(folder))
  console.log(`${file} ${((await stat(join(folder, file))).size / 1e6).toFixed(1)} MB`);
await rm(folder, { recursive: true });
vendorServer.close();
await sandbox.close();
