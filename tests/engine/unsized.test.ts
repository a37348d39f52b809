import { beforeAll, describe, expect, test } from 'vitest';
import { honestTokenArtifact } from '../../contracts/artifacts/sandbox/HonestToken.ts';
import type { Engine, QuoteAnswer, QuoteRequest, RpcEndpoint } from '../../engine/index.ts';
import { makerAddress, type SandboxChain, type TokenPlan } from '../../sandbox/index.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { placed } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOn, engineOver, tokenOf } from './market.ts';

/** A token without decimals. */
const pieces: TokenPlan = {
  symbol: 'PIECE',
  decimals: 0,
  usd: 1,
  about: 'without decimals',
  ...(() => {
    const placement = placed('PIECE', honestTokenArtifact, ['PIECE', 'PIECE', 0, makerAddress, 10n ** 12n]);
    return { address: placement.address, placement };
  })(),
};

const opened = useOpenChain('base');
let chain: SandboxChain;
let engine: Engine;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [pieces],
    pools: [{ venue: 'uniswap-v2', usd: 300_000, pair: ['PIECE', 'USDC'] }],
  });
  ({ engine } = engineOn(chain));
});

const sell = (symbol: string, size: QuoteRequest['size'], on = engine) =>
  on.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, symbol).address,
    tokenOut: tokenOf(chain, 'USDC').address,
    size,
  });
const flagOf = ({ flags }: QuoteAnswer, code: string) => flags.find((flag) => flag.code === code);

const nines = '9'.repeat(78);

describe('behavior: a size beyond 2^256 base units is flagged as too large, whatever the decimals', () => {
  test.each(['PIECE', 'WETH'])('of %s', async (symbol) => {
    const answer = await sell(symbol, { tokenIn: nines });
    expect(answer.amountIn).toBe(BigInt(nines) * 10n ** BigInt(tokenOf(chain, symbol).decimals));
    expect(answer.amountOut).toBe(0n);
    expect(codesOf(answer)).toEqual(['SIZE_TOO_LARGE', 'NO_ROUTE', 'CONFIDENCE']);
    expect(flagOf(answer, 'NO_ROUTE')?.message).toContain('so no venue was tried');
  });

  test('in USD, priced by a pool', async () => {
    const answer = await sell('BIRCH', { usd: nines });
    expect(answer.amountIn).toBeGreaterThan(2n ** 256n);
    expect(answer.amountOut).toBe(0n);
    expect(codesOf(answer)).toEqual(['SIZE_TOO_LARGE', 'USD_PRICE_SOURCE', 'NO_ROUTE', 'CONFIDENCE']);
  });
});

describe('behavior: without an amount to quote, NO_ROUTE states the reason', () => {
  test('less than a base unit of the token', async () => {
    for (const size of [{ tokenIn: '0.0000000000000000001' }, { usd: '0.0000000000000000000001' }]) {
      const answer = await sell('WETH', size);
      expect(answer).toMatchObject({ amountIn: 0n, amountOut: 0n, venuesConsidered: 0 });
      expect(flagOf(answer, 'NO_ROUTE')?.message).toContain('less than one base unit');
    }
  });

  test('no price of the token in USD', async () => {
    const answer = await sell('DUST', { usd: '10' });
    expect(flagOf(answer, 'USD_PRICE_SOURCE')).toMatchObject({ severity: 'critical', facts: { source: 'none' } });
    expect(flagOf(answer, 'NO_ROUTE')?.message).toContain('Without a USD price');
  });
});

test('behavior: NO_ROUTE for an output below one base unit asks for a larger size', async () => {
  const answer = await sell('WETH', { tokenIn: '0.000000000000000001' });
  expect(answer.amountOut).toBe(0n);
  expect(flagOf(answer, 'NO_ROUTE')?.message).toContain(
    'rounds to zero base units of tokenOut. Request a larger size.',
  );
});

test('behavior: with published quoters only, USD_PRICE_SOURCE states that pools could not be read', async () => {
  const answer = await sell('BIRCH', { usd: '10' }, engineOver(chain, quotersOnly(loopbackEndpoint(chain.rpcUrl))));
  expect(answer.confidence).toBe('low');
  expect(codesOf(answer)).toEqual(['QUOTERS_ONLY', 'USD_PRICE_SOURCE', 'VENUE_UNREAD', 'NO_ROUTE', 'CONFIDENCE']);
  expect(flagOf(answer, 'USD_PRICE_SOURCE')?.message).toContain('not all pools that might price it could be read');
});

/** A node without state overrides and without contract creation in calls. */
function quotersOnly({ label, send }: RpcEndpoint): RpcEndpoint {
  return {
    label,
    async send(calls, options) {
      const replies = await send(calls, options);
      return replies.map((reply, index) => {
        const call = calls[index];
        const isLens = call?.method === 'eth_call' && (call.params.length > 2 || !('to' in (call.params[0] as object)));
        return isLens ? { error: { code: -32602, message: 'too many arguments, want at most 2' } } : reply;
      });
    },
  };
}
