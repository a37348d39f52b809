import { parseUnits, toEventSelector } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine, type QuoteAnswer, type RpcEndpoint } from '../../engine/index.ts';
import { withRevert } from '../../sandbox/testTokens/measurement/traders.ts';
import { accounts, B20World, idOf } from '../pretrade/b20/b20World.ts';
import { b20Endpoint } from '../support/b20Endpoint.ts';
import { findWallet } from '../support/findWallet.ts';
import { executed } from './executed.ts';
import { hookedShapes } from './market.ts';

// No storage slot of a B20 token can be found or written, so its sales are funded by a holder's transfer or by a mint.

let world: B20World;
beforeAll(async () => {
  world = await B20World.start();
  await world.create([{ symbol: 'ASSET' }, { symbol: 'COIN', variant: 'stablecoin' }]);
}, 120_000);
afterAll(() => world?.close());

const tokenOf = (symbol: string) => {
  const token = world.chain.tokens.find((candidate) => candidate.symbol === symbol);
  if (!token) throw new TypeError(`There is no ${symbol}.`);
  return token;
};

async function quote(
  tokenIn: string,
  tokenOut: string,
  size: string,
  endpoint: RpcEndpoint = b20Endpoint(world.chain.rpcUrl),
): Promise<QuoteAnswer> {
  const engine = createEngine({
    rpc: { base: [endpoint] },
    now: Date.now,
    freshnessMs: byChain(() => 0),
    deadlineMs: 20_000,
    extraV4Shapes: { base: hookedShapes(world.chain) },
  });
  const query = { tokenIn: tokenOf(tokenIn).address, tokenOut: tokenOf(tokenOut).address, size: { tokenIn: size } };
  return engine.quote({ chain: 'base', ...query });
}

async function received({ route }: QuoteAnswer, tokenIn: string, size: string): Promise<bigint | undefined> {
  const amountIn = parseUnits(size, tokenOf(tokenIn).decimals);
  const wallet = findWallet(world.sandbox.wallets, 'trader');
  return (await executed(world.chain, route.legs, amountIn, wallet))?.received;
}

/** Without flags of a sale that was not paid: no tax measured, no plan executed. */
const isPaid = ({ flags, confidence }: QuoteAnswer) =>
  confidence !== 'low' && !flags.some((flag) => flag.code === 'TRANSFER_TAX');

test.each([
  ['ASSET', 'WETH', '1500'],
  ['ASSET', 'USDC', '250.5'],
  ['COIN', 'WETH', '1500'],
  ['COIN', 'ASSET', '3000'],
  ['WETH', 'ASSET', '1.25'],
  ['USDC', 'COIN', '777'],
])('a quote of %s to %s for %s is paid to the wei by a real swap', async (tokenIn, tokenOut, size) => {
  const answer = await quote(tokenIn, tokenOut, size);
  expect(answer.amountOut).toBeGreaterThan(0n);
  expect(isPaid(answer), JSON.stringify(answer.flags)).toBe(true);
  expect(await received(answer, tokenIn, size)).toBe(answer.amountOut);
});

const transferTopic = toEventSelector('Transfer(address,address,uint256)');

/** A node that returns no transfers, as for a token that no account moved lately. */
function withoutTransfers(): RpcEndpoint {
  const endpoint = b20Endpoint(world.chain.rpcUrl);
  const { send } = endpoint;
  endpoint.send = async (calls, options) => {
    const replies = await send(calls, options);
    return replies.map((reply, index) =>
      calls[index]?.method === 'eth_getLogs' && JSON.stringify(calls[index]).includes(transferTopic)
        ? { result: [] }
        : reply,
    );
  };
  return endpoint;
}

test('a sale is funded by a mint if no account received the token lately and a role holder can mint', async () => {
  await withRevert(world.node, async () => {
    const token = { symbol: 'ASSET', address: tokenOf('ASSET').address, pair: tokenOf('ASSET').address };
    await world.act('admin', token, 'grantRole', [idOf('MINT_ROLE'), accounts.minter]);
    const answer = await quote('ASSET', 'WETH', '1500', withoutTransfers());
    expect(isPaid(answer), JSON.stringify(answer.flags)).toBe(true);
    expect(await received(answer, 'ASSET', '1500')).toBe(answer.amountOut);
  });
});

test('without a holder and a minter the sale is quoted unpaid, with low confidence', async () => {
  const answer = await quote('ASSET', 'WETH', '1500', withoutTransfers());
  expect(answer.confidence).toBe('low');
  expect(await received(answer, 'ASSET', '1500')).toBe(answer.amountOut);
});

test('a token whose transfers are paused has no route in either direction', async () => {
  await withRevert(world.node, async () => {
    const token = { symbol: 'ASSET', address: tokenOf('ASSET').address, pair: tokenOf('ASSET').address };
    await world.act('admin', token, 'grantRole', [idOf('PAUSE_ROLE'), accounts.pauser]);
    await world.act('pauser', token, 'pause', [[0]]);
    for (const answer of [await quote('WETH', 'ASSET', '1'), await quote('ASSET', 'WETH', '1')]) {
      expect(answer.amountOut).toBe(0n);
      expect(answer.flags.map(({ code }) => code)).toContain('NO_ROUTE');
    }
  });
});
