import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { RpcReply } from '../../engine/chain/rpcEndpoint.ts';
import type { PretradeAnswer, RpcEndpoint } from '../../engine/index.ts';
import { makerAddress, type OpenChain, reopenChain, type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { placed } from '../engine/ledgerToken.ts';
import { loopbackEndpoint } from '../engine/loopbackEndpoint.ts';
import { checkerOver } from './checkOn.ts';
import { baseOf, openPair } from './customMarket.ts';

// Where the search of a market ends early, nothing is proven: the answer must be inconclusive, never avoid.

const unit = 10n ** 18n;
const amount = 1_000n * unit;

let sandbox: Sandbox;
let builder: OpenChain;
let round = 0;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  builder = await reopenChain(baseOf(sandbox), sandbox.wallets);
});
afterAll(() => sandbox?.close());
beforeEach(() => {
  round += 1;
});

async function tokens(count: number): Promise<Address[]> {
  const placements = Array.from({ length: count }, (_, index) =>
    placed(`LIMIT${round}-${index}`, honestTokenArtifact, ['T', 'T', 18, makerAddress, 10n ** 9n * unit]),
  );
  await builder.place(placements.map(({ address, creation }) => ({ address, creation })));
  return placements.map(({ address }) => address);
}

const pair = (a: Address, b: Address) => openPair({ sandbox, builder }, [a, amount], [b, amount]);

/** `change` may replace the reply to a request for the logs of the checked token's counter-assets. */
function check(
  token: Address,
  change?: (reply: Awaited<ReturnType<RpcEndpoint['send']>>) => void,
): Promise<PretradeAnswer> {
  const endpoint = loopbackEndpoint(baseOf(sandbox).rpcUrl);
  const word = token.slice(2).toLowerCase();
  return checkerOver(baseOf(sandbox), {
    ...endpoint,
    async send(calls, options) {
      const replies = await endpoint.send(calls, options);
      const isStep = calls.some(({ method }) => method === 'eth_getLogs') && !JSON.stringify(calls).includes(word);
      if (isStep && change) change(replies);
      return replies;
    },
  }).check({ chain: 'base', token });
}

function expectInconclusive({ verdict, liquidityCoverage, reasons }: PretradeAnswer, why: string): void {
  expect([verdict, liquidityCoverage.conclusive], reasons.join('\n')).toEqual(['clear', false]);
  expect(reasons.join('\n')).toContain(why);
}

test('a market without a price is searched in full: the token is avoid', async () => {
  const [t, x, y] = (await tokens(3)) as [Address, Address, Address];
  await pair(t, x);
  await pair(x, y);
  expect((await check(t)).triggers).toEqual(['EXIT_LIQUIDITY_DRAINED']);
});

test('a market of more than 64 tokens is inconclusive', async () => {
  const [t, x, ...others] = (await tokens(66)) as [Address, Address, ...Address[]];
  await pair(t, x);
  for (const other of others) await pair(x, other);
  expectInconclusive(await check(t), 'pools lead to more than 64 tokens');
});

test('a path of more than 16 steps is inconclusive', async () => {
  const path = await tokens(18);
  for (const [index, next] of path.slice(1).entries()) await pair(path[index] as Address, next);
  expectInconclusive(await check(path[0] as Address), 'more than 16 steps away');
});

test('logs of a counter-asset that cannot be read are inconclusive', async () => {
  const [t, x] = (await tokens(2)) as [Address, Address];
  await pair(t, x);
  const refused = { error: { code: -32005, message: 'query returned more than 10000 results' } };
  const refuse = (replies: RpcReply[]) => {
    for (const [index, reply] of replies.entries())
      if ('result' in reply && Array.isArray(reply.result)) replies[index] = refused;
  };
  expectInconclusive(await check(t, refuse), 'query returned more than 10000 results');
});

test('logs that end before the block of the check are inconclusive', async () => {
  const [t, x] = (await tokens(2)) as [Address, Address];
  await pair(t, x);
  const behind = (replies: unknown[]) => {
    replies[0] = { result: '0x1' };
  };
  expectInconclusive(await check(t, behind), 'the logs end before the block of this check');
});

test('logs that end before the block of the check are requested again: a token without a price is avoid', async () => {
  const [t, x] = (await tokens(2)) as [Address, Address];
  await pair(t, x);
  let late = 0;
  const behindTwice = (replies: unknown[]) => {
    // Behind one URL, two requests meet a node that lacks the newest block, and the pools in it.
    if (late < 2) replies.splice(0, 2, { result: '0x1' }, { result: [] });
    late += 1;
  };
  expect((await check(t, behindTwice)).triggers).toEqual(['EXIT_LIQUIDITY_DRAINED']);
  expect(late).toBe(3);
});
