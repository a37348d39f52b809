import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeAbiParameters, type Hex, numberToHex, parseAbiParameters } from 'viem';
import { poolEventsOf, type RpcCall, type RpcEndpoint, type RpcReply, toLowerAddress } from '../../engine/index.ts';
import { openStores } from '../../server/storage/index.ts';
import { createPoolIndexer } from '../../server/vendors/index.ts';

// Builds the pool index of a chain with BLOCKS blocks and POOLS pools from a node in this process that accepts ranges of
// 10,000 blocks. The node takes no time, so the time is that of the index; a real node adds its latency to each range.

const blocks = Number(process.env.BLOCKS ?? 50_000_000);
const pools = Number(process.env.POOLS ?? 10_000_000);
const range = 10_000;
const createdTopic = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9';
const events = poolEventsOf('polygon');
const factory = '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c';
/** Two unlisted tokens, so that the index keeps each pool. A tenth of the pools have the popular token. */
const popular = numberToHex(1, { size: 20 });
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
let requests = 0;

function logsOf(from: number, to: number) {
  const [first, last] = [from, to + 1].map((block) => Math.ceil((block * pools) / blocks)) as [number, number];
  return Array.from({ length: Math.max(0, last - first) }, (_, at) => {
    const pool = BigInt(first + at);
    const token = pool % 10n === 0n ? 1n : (pool << 64n) + 7n;
    const data = encodeAbiParameters(parseAbiParameters('address, uint256'), [
      numberToHex((pool << 80n) + 9n, { size: 20 }),
      pool,
    ]);
    const block = numberToHex(Math.min(to, Math.max(from, Math.floor((Number(pool) * blocks) / pools))));
    return {
      address: factory,
      topics: [createdTopic, word(token), word((pool << 70n) + 8n)],
      data,
      blockNumber: block,
      logIndex: '0x0',
      blockHash: word(pool),
      transactionHash: word(pool),
    };
  });
}

function reply({ method, params }: RpcCall): RpcReply {
  if (method === 'eth_getCode') return { result: '0x01' };
  if (method === 'eth_getBlockByNumber') {
    const number = params[0] === 'latest' ? blocks : Number(params[0]);
    return { result: { number: numberToHex(number), hash: word(BigInt(number)), timestamp: numberToHex(number) } };
  }
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  const to = toBlock === 'latest' ? blocks : Number(toBlock);
  if (to - Number(fromBlock) >= range) return { error: { code: -32_005, message: `limited to ${range} blocks` } };
  return { result: logsOf(Number(fromBlock), to) };
}

const endpoint: RpcEndpoint = {
  label: 'polygon-1',
  async send(calls) {
    requests += 1;
    return calls.map(reply);
  },
};

const folder = await mkdtemp(join(tmpdir(), 'truefill-index-'));
const stores = await openStores({ file: join(folder, 'truefill.sqlite') }, Date.now);
const store = stores.facts('polygon').poolIndex;
const begun = Date.now();
const limits = { pauseMs: 0, everyMs: 1_000 };
const index = createPoolIndexer({
  endpoints: [endpoint],
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
  if (first === undefined && (await index.load(toLowerAddress(popular)))?.creations.length) first = Date.now() - begun;
}
const seconds = (Date.now() - begun) / 1_000;
const readAt = performance.now();
const found = await index.load(toLowerAddress(popular));
const readMs = performance.now() - readAt;
await index.close();
await stores.close();
const sizes = await Promise.all(
  (await readdir(folder)).map(async (file) => `${file} ${((await stat(join(folder, file))).size / 1e6).toFixed(1)} MB`),
);
await rm(folder, { recursive: true });
console.log(
  `${pools} pools in ${blocks} blocks: ${seconds.toFixed(0)} s, ${requests} requests, peak memory ${(peakBytes / 1e6).toFixed(0)} MB`,
);
console.log(
  `First pools of the popular token after ${first} ms; ${found?.creations.length} of its pools read in ${readMs.toFixed(0)} ms`,
);
console.log(sizes.join(', '));
