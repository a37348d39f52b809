import { type Address, encodeFunctionData, type Hex, hexToBigInt, numberToHex, parseAbi } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import type { QuoteAnswer, RpcEndpoint } from '../../engine/index.ts';
import { createOrderRunner, makerAddress, type OrderRunner, type SandboxChain } from '../../sandbox/index.ts';
import { creationCode } from '../../sandbox/placement/creationCode.ts';
import { derivedAddress } from '../../sandbox/placement/derivedAddress.ts';
import { compileSlipstream } from '../../sandbox/published/aerodrome.ts';
import { createNodeClient, type NodeClient } from '../../sandbox/rpc/nodeClient.ts';
import { honestToken } from '../../sandbox/tokens/honestToken.ts';
import { contractOf } from '../../sandbox/venues/aerodrome.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf } from './market.ts';

// Aerodrome's own fee module adds ten pips for each tick that the price is away from its mean of the last two seconds. So
// the fee of a pool falls with each second after a large swap. Each token has one pool, of another factory.

const base = useOpenChain('base');
const secondFactory: Address = '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a';
const abi = parseAbi([
  'function swapFeeManager() view returns (address)',
  'function setSwapFeeModule(address)',
  'function setSecondsAgo(uint32)',
  'function increaseObservationCardinalityNext(uint16)',
]);
const [scalingFactor, feeCap] = [10_000_000n, 30_000n];
const [moving, constant] = ['MOVING', 'CONSTANT'].map((symbol) =>
  honestToken({ symbol, name: symbol, decimals: 18, usd: 2, about: 'For this test.' }, makerAddress),
) as [ReturnType<typeof honestToken>, ReturnType<typeof honestToken>];

let chain: SandboxChain;
let node: NodeClient;
let runner: OrderRunner;
beforeAll(async () => {
  const pool = { venue: 'aerodrome-slipstream', usd: 400_000, tier: 100 } as const;
  chain = await base.builder.list({
    tokens: [moving, constant],
    pools: [
      { ...pool, pair: ['MOVING', 'USDC'], generation: 2 },
      { ...pool, pair: ['CONSTANT', 'USDC'] },
    ],
  });
  node = createNodeClient(chain.rpcUrl);
  const module = derivedAddress('slipstream fee module');
  const args = [secondFactory, scalingFactor, feeCap, [], []];
  const creation = creationCode(contractOf(await compileSlipstream(), 'DynamicSwapFeeModule'), args);
  await base.builder.place([{ address: module, creation }]);
  const data = encodeFunctionData({ abi, functionName: 'swapFeeManager' });
  const manager: Address = `0x${(await node.call<Hex>('eth_call', [{ to: secondFactory, data }, 'latest'])).slice(26)}`;
  await node.call('anvil_impersonateAccount', [manager]);
  await node.call('anvil_setBalance', [manager, numberToHex(10n ** 18n)]);
  const send = (to: Address, data: Hex) => node.call('eth_sendTransactionSync', [{ from: manager, to, data }]);
  await send(secondFactory, encodeFunctionData({ abi, functionName: 'setSwapFeeModule', args: [module] }));
  await send(module, encodeFunctionData({ abi, functionName: 'setSecondsAgo', args: [2] }));
  await send(
    poolOf('MOVING'),
    encodeFunctionData({ abi, functionName: 'increaseObservationCardinalityNext', args: [50] }),
  );
  runner = await createOrderRunner(chain, base.trader);
  await trade('MOVING', 100n, 60);
});

const poolOf = (symbol: string): Address => {
  const { address } = tokenOf(chain, symbol);
  const found = chain.pools.find(({ token0, token1 }) => [token0, token1].includes(address));
  if (!found) throw new TypeError(`${symbol} has no pool.`);
  return found.pool as Address;
};

/** Sells whole USDC for the token, `seconds` after the last block. */
function trade(symbol: string, usdc: bigint, seconds: number) {
  const leg = {
    venue: 'aerodrome-slipstream',
    pool: poolOf(symbol),
    tokenIn: chain.usdc,
    tokenOut: tokenOf(chain, symbol).address,
  };
  return runner.keepOrder({ legs: [leg], amountIn: usdc * 1_000_000n }, seconds);
}

const quoteBy = (endpoint: RpcEndpoint, symbol: string) => {
  const engine = engineOver(chain, endpoint);
  return () =>
    engine.quote({
      chain: 'base',
      tokenIn: tokenOf(chain, symbol).address,
      tokenOut: chain.usdc,
      size: { tokenIn: '1000' },
    });
};
const quoteOf = (symbol: string): Promise<QuoteAnswer> => quoteBy(loopbackEndpoint(chain.rpcUrl), symbol)();
const flagOf = ({ flags }: QuoteAnswer) => flags.find(({ code }) => code === 'FEE_CHANGES');
const orderOf = ({ route, amountIn }: QuoteAnswer) => ({ legs: route.legs, amountIn });

test('a route whose fee falls with the next block has FEE_CHANGES with what each block pays', async () => {
  await trade('MOVING', 10_000n, 60);
  const answer = await quoteOf('MOVING');
  expect(answer.route.legs[0]?.feePips).toBeGreaterThan(2_000);
  const { movements } = await runner.tryOrders([orderOf(answer)]);
  expect(movements[0]?.received).toBe(answer.amountOut);
  const next = await runner.keepOrder(orderOf(answer), 1);
  expect(next.received).toBeGreaterThan(answer.amountOut);
  const facts = { amountOut: `${answer.amountOut}`, nextAmountOut: `${next.received}` };
  expect(flagOf(answer)).toMatchObject({ severity: 'warn', facts });
  expect(Number(flagOf(answer)?.facts?.changeBps)).toBeGreaterThan(10);
});

test('the same route some seconds later has no FEE_CHANGES, and pays the same in the next block', async () => {
  await trade('MOVING', 10_000n, 60);
  await node.call('evm_setNextBlockTimestamp', [Number(await timeOfHead()) + 5]);
  await node.call('evm_mine');
  const answer = await quoteOf('MOVING');
  expect(flagOf(answer)).toBeUndefined();
  expect((await runner.keepOrder(orderOf(answer), 1)).received).toBe(answer.amountOut);
});

test('a trade of 60 USDC, over a few ticks, causes FEE_CHANGES, and one of 1 USDC within a tick does not', async () => {
  await trade('MOVING', 60n, 60);
  const changeBps = Number(flagOf(await quoteOf('MOVING'))?.facts?.changeBps);
  expect(changeBps).toBeGreaterThan(0);
  expect(changeBps).toBeLessThan(1);
  await trade('MOVING', 1n, 60);
  expect(flagOf(await quoteOf('MOVING'))).toBeUndefined();
});

test.each([
  ['refuses', { error: { code: -32_602, message: 'too many arguments, want at most 3' } }],
  ['ignores', undefined],
])('a node that %s block overrides leaves the next output unknown, and gets no further request', async (_, refusal) => {
  await trade('MOVING', 10_000n, 60);
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  let overridden = 0;
  const limited: RpcEndpoint = {
    label: 'without block overrides',
    send: async (calls, options) => {
      const replies = await endpoint.send(
        calls.map(({ method, params }) => ({ method, params: params.slice(0, 3) })),
        options,
      );
      return replies.map((reply, index) => {
        if ((calls[index]?.params.length ?? 0) < 4) return reply;
        overridden += 1;
        return refusal ?? reply;
      });
    },
  };
  const quote = quoteBy(limited, 'MOVING');
  const answers = [await quote(), await quote()];
  for (const answer of answers) {
    const facts = { amountOut: `${answer.amountOut}`, nextAmountOut: null, changeBps: null };
    expect(flagOf(answer)).toMatchObject({ severity: 'info', facts });
  }
  expect(overridden).toBe(1);
});

test.each([
  ['null', () => null],
  ['a number', () => 7],
  ['words that are no hex digits', (words: unknown) => String(words).replace(/..$/, 'zz')],
])('a node that returns %s for the next block does not fail the quote', async (_, toResult) => {
  await trade('MOVING', 10_000n, 60);
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const faulty: RpcEndpoint = {
    label: 'faulty in the next block',
    send: async (calls, options) => {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) =>
        (calls[index]?.params.length ?? 0) < 4 || 'error' in reply ? reply : { result: toResult(reply.result) },
      );
    },
  };
  const answer = await quoteBy(faulty, 'MOVING')();
  expect(answer.amountOut).toBeGreaterThan(0n);
  expect(flagOf(answer)).toMatchObject({ severity: 'info', facts: { nextAmountOut: null } });
});

test('a pool of a factory without a fee module costs no further request', async () => {
  await trade('CONSTANT', 10_000n, 60);
  const endpoint = loopbackEndpoint(chain.rpcUrl);
  const quote = quoteBy(endpoint, 'CONSTANT');
  expect(flagOf(await quote())).toBeUndefined();
  await quote();
  const before = endpoint.requests;
  await quote();
  expect(endpoint.requests - before).toBe(1);
});

const timeOfHead = async () =>
  hexToBigInt((await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp);
