import {
  type Address,
  createTestClient,
  encodeFunctionData,
  http,
  parseAbi,
  publicActions,
  toFunctionSelector,
  walletActions,
} from 'viem';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ProxiedCall } from '../../sandbox/index.ts';
import { broken, withCode } from './brokenCode.ts';
import { type Answer, type OutageEnvironment, openOutageEnvironment, type TestService } from './outageEnvironment.ts';
import { faultsOf } from './provenPart.ts';

// Price feeds on the local chain that fail, are stale or return a wrong price. A feed values counter-assets, so a wrong
// price could make a deep pool look drained.

let environment: OutageEnvironment;
let service: TestService;
const node = () =>
  createTestClient({ mode: 'anvil', transport: http(environment.chain.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
beforeAll(async () => {
  environment = await openOutageEnvironment();
  for (const feed of [ethFeed, btcFeed]) prices.set(feed, await answerOf(feed));
  await priceGasByCopy();
  service = await environment.open();
});
afterEach(async () => {
  for (const [feed, answer] of prices) await set(feed, answer);
  await set(sequencerFeed, 0n, 0n, 1_600_000_000n);
});
afterAll(() => environment?.close());

const ethFeed: Address = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70';
const btcFeed: Address = '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D';
const sequencerFeed: Address = '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433';
/** The correct answers of the feeds. */
const prices = new Map<Address, bigint>();
const feedAbi = parseAbi([
  'function set(int256 answer, uint256 startedAt, uint256 updatedAt)',
  'function answer() view returns (int256)',
]);

const check = async (symbol: string): Promise<Answer> => {
  const { status, answer, text } = await service.check(environment.tokenOf(symbol));
  expect(status, text).toBe(200);
  expect(faultsOf(answer), symbol).toEqual([]);
  return answer;
};
async function set(feed: Address, answer: bigint, updatedAt = 0n, startedAt = 0n): Promise<void> {
  const data = encodeFunctionData({ abi: feedAbi, functionName: 'set', args: [answer, startedAt, updatedAt] });
  await node().setBalance({ address: environment.walletOf('stranger').address, value: 10n ** 18n });
  await node().impersonateAccount({ address: environment.walletOf('stranger').address });
  const hash = await node().sendTransaction({
    account: environment.walletOf('stranger').address,
    chain: null,
    to: feed,
    data,
  });
  // viem waits for a further block, which this chain does not mine without a transaction. So poll for the receipt.
  await vi.waitFor(() => node().getTransactionReceipt({ hash }), { timeout: 10_000, interval: 5 });
}
/**
 * The service prices the gas of a settlement by the same feed, and refuses payments while its price is wrong. These tests
 * are about the check, so reads of the gas price use a copy of the feed.
 */
async function priceGasByCopy(): Promise<void> {
  const feedCopy: Address = '0x00000000000000000000000000000000000feed1';
  const code = await node().getCode({ address: ethFeed });
  if (!code) throw new Error('The ETH feed has no code.');
  await node().setCode({ address: feedCopy, bytecode: code });
  await set(feedCopy, prices.get(ethFeed) ?? 0n);
  const [feedHex, copyHex] = [ethFeed, feedCopy].map((address) => address.slice(2).toLowerCase());
  const l1Fee = toFunctionSelector('function getL1FeeUpperBound(uint256)').slice(2);
  const pricesGas = ({ params }: ProxiedCall) => JSON.stringify(params).includes(l1Fee);
  environment.rpc.fault = (calls) =>
    calls.some(pricesGas)
      ? {
          kind: 'alter',
          rewrite: (sent) =>
            sent.map((call) =>
              pricesGas(call)
                ? { ...call, params: JSON.parse(JSON.stringify(call.params).replaceAll(`${feedHex}`, `${copyHex}`)) }
                : call,
            ),
        }
      : undefined;
}
const answerOf = (feed: Address) => node().readContract({ address: feed, abi: feedAbi, functionName: 'answer' });

test.each([
  ['down', broken.down],
  ['slow', broken.slow],
  ['returning 50 MB', broken.flood],
  ['returning a megabyte', broken.megabyte],
  ['returning nothing', broken.empty],
  ['returning nonsense', broken.nonsense],
] as const)(
  'behavior: while a feed is %s, O-SANITY is unknown and exit liquidity is valued at pool prices',
  async (_how, code) => {
    const was = await check('cbBTC');
    expect(was.flags['O-SANITY'].severity).toBe('none');
    await withCode(environment.chain.rpcUrl, btcFeed, code, async () => {
      const answer = await check('cbBTC');
      expect(answer.flags['O-SANITY']).toMatchObject({ severity: 'unknown', value: null });
      expect(answer.risk_profile.oracle).toMatchObject({ deviationBps: null, stalenessSec: null });
      expect(answer.verdict).toBe(was.verdict);
      expect(answer.coverage.axesReporting).toBe(was.coverage.axesReporting - 1);
      expect(answer.confidence).toBe('medium');
    });
    const plain = await check('PLAIN');
    await withCode(environment.chain.rpcUrl, ethFeed, code, async () => {
      const answer = await check('PLAIN');
      expect(answer.verdict).toBe('clear');
      expect(answer.liquidityCoverage.conclusive).toBe(true);
      expect(exitLiquidityOf(answer) / exitLiquidityOf(plain)).toBeCloseTo(1, 1);
    });
  },
);

const exitLiquidityOf = ({ risk_profile }: Answer): number => risk_profile.liquidity.exitLiquidityUsd ?? Number.NaN;

test('behavior: O-SANITY is unknown if the feed is older than its heartbeat', async () => {
  const { timestamp } = await node().getBlock();
  const was = await check('cbBTC');
  await set(btcFeed, prices.get(btcFeed) ?? 0n, timestamp - 100_000n);
  const answer = await check('cbBTC');
  expect(answer.flags['O-SANITY']).toMatchObject({ severity: 'unknown', reason: expect.stringMatching(/heartbeat/) });
  expect(answer.risk_profile.oracle.stalenessSec).toBeGreaterThanOrEqual(100_000);
  expect(answer.verdict).toBe(was.verdict);
});

test.each([
  ['zero', 0n],
  ['negative', -1n],
])('behavior: a feed that returns a %s price is not used', async (_what, price) => {
  await set(ethFeed, price);
  await set(btcFeed, price);
  const plain = await check('PLAIN');
  expect(plain).toMatchObject({ verdict: 'clear', liquidityCoverage: { conclusive: true } });
  expect((await check('cbBTC')).flags['O-SANITY'].severity).toBe('unknown');
});

test('behavior: F-LIQ is unknown, and no trigger is raised, if the feed of the counter-asset is far too low', async () => {
  await set(ethFeed, (prices.get(ethFeed) ?? 0n) / 100_000n);
  const answer = await check('PLAIN');
  expect(answer).toMatchObject({ verdict: 'clear', triggers: [], liquidityCoverage: { conclusive: false } });
  expect(answer.reasons.join(' ')).toMatch(/price feed of WETH/);
  expect(answer.flags['F-LIQ'].severity).toBe('unknown');
});

test('behavior: a drained token stays avoid or becomes inconclusive if the feed is far too high', async () => {
  const drained = environment.testTokens.find(
    ({ truth: { triggers }, pools }) =>
      triggers.join() === 'EXIT_LIQUIDITY_DRAINED' && pools[0]?.counter === environment.chain.wrappedNative,
  );
  if (!drained) throw new Error('No test token has a drained pool against WETH.');
  const was = await check(drained.symbol);
  expect(was.verdict).toBe('avoid');
  await set(ethFeed, (prices.get(ethFeed) ?? 0n) * 100_000n);
  const answer = await check(drained.symbol);
  // Either the exit liquidity is zero at any price, which stays proven, or nothing is concluded.
  if (answer.verdict === 'clear') {
    expect(answer.liquidityCoverage.conclusive).toBe(false);
    expect(answer.reasons.join(' ')).toMatch(/price feed of WETH/);
    expect(answer.flags['F-LIQ'].severity).toBe('unknown');
  }
});

test('behavior: O-SANITY is high if the feed of the token is twice the pool price', async () => {
  await set(btcFeed, (prices.get(btcFeed) ?? 0n) * 2n);
  const answer = await check('cbBTC');
  expect(answer.flags['O-SANITY'].severity).toBe('high');
  expect(answer.risk_profile.oracle.deviationBps).toBeLessThan(-4_000);
  expect(answer.verdict).toBe('clear');
});

test('behavior: no feed is used while the sequencer is down', async () => {
  const { timestamp } = await node().getBlock();
  await set(sequencerFeed, 1n, timestamp, timestamp);
  const answer = await check('cbBTC');
  expect(answer.flags['O-SANITY']).toMatchObject({ severity: 'unknown', reason: expect.stringMatching(/sequencer/) });
  expect((await check('PLAIN')).verdict).toBe('clear');
});
