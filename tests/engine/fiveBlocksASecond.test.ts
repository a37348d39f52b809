import type { Address } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNodeClient, liveBlockMs, type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { checkerOver } from '../pretrade/checkOn.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf } from './market.ts';

// Quotes and checks on a chain that mines as Base does: a block every 200 ms, timestamps in whole seconds. Blocks arrive
// between the requests of one answer.

const rounds = 15;
let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'], testTokens: true, blockMs: { base: liveBlockMs.base } });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const head = async () => Number(await createNodeClient(chain.rpcUrl).call<string>('eth_blockNumber'));
const addressOf = (symbol: string): Address => {
  const found = sandbox.testTokens?.tokens.find((token) => token.symbol === symbol);
  if (!found) throw new TypeError(`${symbol} is not a test token.`);
  return found.address;
};

test('each of fifteen quotes is of one block, and the market that nothing trades in keeps its price', async () => {
  const engine = engineOver(chain, loopbackEndpoint(chain.rpcUrl), [], {
    freshnessMs: { base: 0, polygon: 0, arbitrum: 0 },
  });
  const [tokenIn, tokenOut] = [tokenOf(chain, 'WETH').address, tokenOf(chain, 'USDC').address];
  const blocks: number[] = [];
  const amounts = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const first = await head();
    const answer = await engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: '1.5' } });
    expect(answer.blockNumber).toBeGreaterThanOrEqual(BigInt(first));
    expect(answer.confidence).toBe('high');
    blocks.push(Number(answer.blockNumber));
    amounts.add(String(answer.amountOut));
  }
  expect(amounts.size).toBe(1);
  expect(blocks).toEqual(blocks.toSorted((left, right) => left - right));
  expect(blocks.at(-1)).toBeGreaterThan(blocks[0] ?? 0);
});

test.each([
  ['PLAIN', 'clear'],
  ['GATEOFF', 'avoid'],
])('fifteen checks of %s, the first and repeats, are %s with simulated trades', async (symbol, verdict) => {
  const checker = checkerOver(chain, loopbackEndpoint(chain.rpcUrl));
  for (let round = 0; round < rounds; round += 1) {
    const answer = await checker.check({ chain: 'base', token: addressOf(symbol) });
    expect({ round, verdict: answer.verdict }).toEqual({ round, verdict });
    expect(answer.liquidityCoverage.conclusive).toBe(true);
    if (verdict === 'clear') expect(answer.risk_profile.transferability.outcome).toBe('tradable');
  }
});
