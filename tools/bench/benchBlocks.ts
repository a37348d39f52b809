import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Hex, keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { liveBlockMs, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { startQuoteService } from './paidQuotes.ts';
import { openReplica, presign, type Replica, sendCommand, toSettlementSetup } from './settlementSetup.ts';
import { percentile } from './statistics.ts';

/**
 * npm run bench:blocks [-- --before folder --rounds 3 --ms 200 --node 50 --out bench/blocks.json]
 *
 * Measures payments on a chain that mines a block every 200 ms, with a node 50 ms away: one payer, and 50 at once; and
 * paid quotes of one payer over HTTP. With `--before` a service of another checkout runs in turns with this one, on the
 * same chain. For the one payer the time is divided: until the broadcast reaches the node, until a block includes it, until
 * the answer.
 */
const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    ms: { type: 'string', default: String(liveBlockMs.base) },
    node: { type: 'string', default: '50' },
    out: { type: 'string' },
  },
});
const [nodeMs, blockMs] = [Number(values.node), Number(values.ms)];
const callsOfOne = 20;
const callsOfFifty = 8;
const quotes = 20;

const sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true, blockMs: { base: blockMs } });
const { chain, client, wallet, networksAt, newPayers } = toSettlementSetup(sandbox);
const proxy = await startRpcProxy(chain.rpcUrl);
/** When a broadcast reached the node and when the node had its receipt, in ms of `performance.now`. */
let timed: { sentAt: number; includedAt: number }[] = [];
const seen = new Set<Hex>();
let isAlone = false;
proxy.fault = (calls) => {
  for (const { method, params } of calls) if (method.startsWith('eth_sendRaw')) void time(params[0] as Hex);
  return undefined;
};

async function time(raw: Hex): Promise<void> {
  // Only payments of one payer are divided into parts.
  if (!isAlone) return;
  // The proxy calls this after its delay, when it forwards the request.
  const sentAt = performance.now();
  const hash = keccak256(raw);
  // The service sends the same bytes again if the inclusion takes longer than a second.
  if (seen.has(hash)) return;
  seen.add(hash);
  while (isAlone) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (receipt) break;
    await new Promise((done) => setTimeout(done, 4));
  }
  timed.push({ sentAt, includedAt: performance.now() });
}

/** Runs the calls of all payers, one after the other for each. */
async function run({ child, challenge }: Replica, payers: readonly PrivateKeyAccount[], count: number) {
  await sendCommand(child, { load: await presign(challenge, payers, count) });
  timed = [];
  isAlone = payers.length === 1;
  const startedAt = performance.now();
  const { ran } = await sendCommand(child, { run: true });
  const endedAt = performance.now();
  isAlone = false;
  if (!ran) throw new Error('The replica reported no run.');
  if (ran.refused.length > 0) throw new Error(`${ran.refused.length} payments were refused: ${ran.refused[0]}`);
  return { took: ran.took, startedAt, endedAt, timed };
}
type Ran = Awaited<ReturnType<typeof run>>;

/** The parts of each call of one payer: its calls follow each other, so their ends are known from the last one. */
function toParts({ took, endedAt, timed: times }: Ran) {
  const sorted = times.toSorted((left, right) => left.sentAt - right.sentAt);
  let end = endedAt;
  return took
    .toReversed()
    .map((ms, index) => {
      const [own, start] = [sorted[sorted.length - 1 - index], end - ms];
      const answeredAt = end;
      end = start;
      return (
        own && {
          sent: own.sentAt - start,
          included: own.includedAt - own.sentAt,
          answered: answeredAt - own.includedAt,
        }
      );
    })
    .filter((part) => part !== undefined);
}

const services = [...(values.before ? [{ name: 'before', checkout: resolve(values.before) }] : []), { name: 'after' }];
const folder = await mkdtemp(join(tmpdir(), 'truefill-blocks-'));
const payers = await newPayers(50);
const open = await Promise.all(
  services.map(async ({ name, ...options }) => ({
    name,
    replica: await openReplica(
      { database: { file: join(folder, `${name}.sqlite`) }, networks: networksAt(proxy.url) },
      options,
    ),
    one: [] as Ran[],
    fifty: [] as Ran[],
  })),
);
// Warm-up: the first payments load and compile code.
for (const { replica } of open) await run(replica, payers.slice(0, 32), 6);
proxy.delayMs = nodeMs;
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const { replica, one, fifty } of round % 2 === 0 ? open : open.toReversed()) {
    // Its connections were idle while the other service ran.
    await run(replica, payers.slice(0, 2), 3);
    one.push(await run(replica, payers.slice(0, 1), callsOfOne));
    fifty.push(await run(replica, payers, callsOfFifty));
  }
}

// Complete services, so that only one kind of service runs at a time.
for (const { replica } of open) await replica.close();
proxy.delayMs = 0;
const shops = await Promise.all(
  services.map(async ({ name, ...options }, index) => ({
    name,
    service: await startQuoteService({
      target: { rpcUrl: proxy.url, payTo: wallet('payTo').address, facilitatorKey: wallet('facilitator').privateKey },
      quoteInput: { tokenIn: chain.wrappedNative, tokenOut: chain.usdc },
      payer: payers[index] as PrivateKeyAccount,
      ...options,
    }),
    took: [] as number[],
  })),
);
for (const { service } of shops) for (let call = 0; call < quotes; call += 1) await service.buy();
proxy.delayMs = nodeMs;
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const { service, took } of round % 2 === 0 ? shops : shops.toReversed()) {
    await service.buy();
    for (let call = 0; call < quotes; call += 1) took.push(await service.buy());
  }
}
for (const { service } of shops) await service.stop();

const summary = (samples: readonly number[]) => ({
  p50: Math.round(percentile(samples, 0.5)),
  p99: Math.round(percentile(samples, 0.99)),
});
const figures = Object.fromEntries(
  open.map(({ name, one, fifty }) => {
    const parts = one.flatMap(toParts);
    const seconds = fifty.reduce((sum, ran) => sum + (ran.endedAt - ran.startedAt) / 1_000, 0);
    return [
      name,
      {
        onePayer: {
          calls: one.flatMap(({ took }) => took).length,
          ...summary(one.flatMap(({ took }) => took)),
          untilBroadcast: summary(parts.map(({ sent }) => sent)),
          untilIncluded: summary(parts.map(({ included }) => included)),
          untilAnswer: summary(parts.map(({ answered }) => answered)),
        },
        fiftyPayers: {
          calls: fifty.flatMap(({ took }) => took).length,
          ...summary(fifty.flatMap(({ took }) => took)),
          perSecond: Math.round(fifty.flatMap(({ took }) => took).length / seconds),
        },
        quotes: summary(shops.flatMap((shop) => (shop.name === name ? shop.took : []))),
      },
    ];
  }),
);
const report = { blockMs, nodeMs, ...figures };
console.log(JSON.stringify(report, null, 2));
if (values.out) await writeFile(values.out, `${JSON.stringify(report, null, 2)}\n`);
await proxy.close();
await sandbox.close();
await rm(folder, { recursive: true, force: true });
