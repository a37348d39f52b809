import {
  type Address,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  publicActions,
  walletActions,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { broken, withCode } from './brokenCode.ts';
import { type Answer, type House, type OutageWorld, openOutageWorld } from './outageWorld.ts';
import { faultsOf, provenPart } from './provenPart.ts';

// Price feeds on the local chain that fail, age and lie. A feed tells what counter-assets are worth, so a lie of it
// could make a deep pool look drained.

let world: OutageWorld;
let house: House;
const node = () =>
  createTestClient({ mode: 'anvil', transport: http(world.chain.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
let snapshot: Hex;
beforeAll(async () => {
  world = await openOutageWorld();
  house = await world.open();
});
afterAll(() => world?.close());

const ethFeed: Address = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70';
const btcFeed: Address = '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D';
const sequencerFeed: Address = '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433';
const feedAbi = parseAbi([
  'function set(int256 answer, uint256 startedAt, uint256 updatedAt)',
  'function answer() view returns (int256)',
]);

const check = async (symbol: string): Promise<Answer> => {
  const { status, answer, text } = await house.check(world.tokenOf(symbol));
  expect(status, text).toBe(200);
  expect(faultsOf(answer), symbol).toEqual([]);
  return answer;
};
async function set(feed: Address, answer: bigint, updatedAt = 0n, startedAt = 0n): Promise<void> {
  const data = encodeFunctionData({ abi: feedAbi, functionName: 'set', args: [answer, startedAt, updatedAt] });
  await node().setBalance({ address: world.walletOf('stranger').address, value: 10n ** 18n });
  await node().impersonateAccount({ address: world.walletOf('stranger').address });
  const hash = await node().sendTransaction({
    account: world.walletOf('stranger').address,
    chain: null,
    to: feed,
    data,
  });
  await node().waitForTransactionReceipt({ hash, pollingInterval: 10 });
}
const answerOf = (feed: Address) => node().readContract({ address: feed, abi: feedAbi, functionName: 'answer' });

test.each([
  ['down', broken.down],
  ['slow', broken.slow],
  ['returning 50 MB', broken.flood],
  ['returning a megabyte', broken.megabyte],
  ['answering nothing', broken.empty],
  ['answering nonsense', broken.nonsense],
] as const)(
  'behavior: %s: O-SANITY is unknown with a reason; pots are told by the pools’ own prices',
  async (_how, code) => {
    const was = await check('cbBTC');
    expect(was.flags['O-SANITY'].severity).toBe('none');
    await withCode(world.chain.rpcUrl, btcFeed, code, async () => {
      const answer = await check('cbBTC');
      expect(answer.flags['O-SANITY']).toMatchObject({ severity: 'unknown', value: null });
      expect(answer.risk_profile.oracle).toMatchObject({ deviationBps: null, stalenessSec: null });
      expect(answer.verdict).toBe(was.verdict);
      expect(answer.coverage.axesReporting).toBe(was.coverage.axesReporting - 1);
      expect(answer.confidence).toBe('medium');
    });
    await withCode(world.chain.rpcUrl, ethFeed, code, async () => {
      const answer = await check('PLAIN');
      expect(answer.verdict).toBe('clear');
    });
  },
);
