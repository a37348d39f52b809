import { parseUnits, zeroAddress } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { farLedgerTokenArtifact } from '../../contracts/artifacts/sandbox/FarLedgerToken.ts';
import { layoutTokenArtifact } from '../../contracts/artifacts/sandbox/LayoutToken.ts';
import type { PretradeChecker, QuoteAnswer, RpcCall, RpcReply } from '../../engine/index.ts';
import {
  executeRoute,
  fund,
  type PoolPlan,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { ledgerToken, recognisingTokens, recognitionRules as rules } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { type EngineOnChain, engineOn, engineOver, toDecimal, tokenOf, withChainRestored } from './market.ts';

// Tokens that detect a simulation and treat a real sale worse. Each quote is compared with a mined transaction: an
// ordinary account that holds exactly the size approves a router and sells through it.

/** LayoutToken's layouts, in the contract's order. The number is the RPC requests of a first sale, one of them for logs. */
const layouts = [
  ['VYPER', 4],
  ['SOLADY', 4],
  ['ERC7201', 4],
  ['FARINDEX', 5],
] as const;
const tokens = [
  ...recognisingTokens(),
  ...layouts.map(([symbol], layout) => ledgerToken(symbol, 2, layoutTokenArtifact, [layout])),
  ledgerToken('ELSEWHERE', 2, farLedgerTokenArtifact),
];
const usd = 400_000;
const pools = [
  ...rules.flatMap((symbol): PoolPlan[] => [
    { venue: 'uniswap-v2', pair: [symbol, 'USDC'], usd },
    { venue: 'aerodrome', pair: [symbol, 'WETH'], usd: usd / 4 },
  ]),
  ...[...layouts.map(([symbol]) => symbol), 'ELSEWHERE'].map(
    (symbol): PoolPlan => ({ venue: 'uniswap-v2', pair: [symbol, 'USDC'], usd }),
  ),
  ...['OVERSUPPLY', 'BONUS'].flatMap((symbol): PoolPlan[] => [
    { venue: 'uniswap-v3', pair: [symbol, 'WETH'], usd: 3 * usd, tier: 3000 },
    { venue: 'uniswap-v4', pair: [symbol, 'USDC'], usd: 5 * usd, tier: 3000 },
  ]),
];

let sandbox: Sandbox;
let chain: SandboxChain;
let engineOnBase: EngineOnChain;
let seller: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  const base = sandbox.chains.base as SandboxChain;
  seller = sandbox.wallets.find(({ role }) => role === 'stranger') as SandboxWallet;
  const builder = await reopenChain(base, sandbox.wallets);
  chain = await builder.list({ tokens, pools });
  await fund(chain, zeroAddress, seller.address, parseUnits('100', 18));
  engineOnBase = engineOn(chain);
  await engineOnBase.engine.start();
});
afterAll(() => sandbox?.close());

function quoteOf(tokenIn: string, tokenOut: string, size: string, { engine } = engineOnBase): Promise<QuoteAnswer> {
  const [a, b] = [tokenOf(chain, tokenIn), tokenOf(chain, tokenOut)];
  return engine.quote({
    chain: 'base',
    tokenIn: a.address,
    tokenOut: b.address,
    size: { tokenIn: size },
  });
}

const taxesOf = ({ flags }: QuoteAnswer) =>
  flags.flatMap(({ code, facts }) => (code === 'TRANSFER_TAX' ? [facts] : []));

/** An engine whose node refuses some calls. */
function engineWithRefusals(isRefused: (call: RpcCall) => boolean): EngineOnChain {
  const endpoint = loopbackEndpoint(chain.rpcUrl, 'limited');
  const refusal: RpcReply = { error: { code: -32601, message: 'the method does not exist' } };
  const engine = engineOver(chain, {
    label: 'limited',
    async send(calls, options) {
      const replies = await endpoint.send(calls, options);
      return replies.map((reply, index) => (isRefused(calls[index] as RpcCall) ? refusal : reply));
    },
  });
  return { endpoint, engine };
}

/** Executes the route from an account funded with `sent` tokens (default: exactly the size). Returns the output. */
function executeQuote({ route, amountIn, tokenIn }: QuoteAnswer, sent = amountIn): Promise<bigint> {
  return withChainRestored(chain, async () => {
    await fund(chain, tokenIn, seller.address, sent);
    const { received } = await executeRoute(chain, { legs: route.legs, amountIn, wallet: seller });
    return received;
  });
}

test.each(rules)('a sale of %s by an ordinary account pays the quote, to the wei', async (symbol) => {
  for (const tokenOut of ['USDC', 'WETH', 'OAK']) {
    for (const size of ['0.013', '777.777', '9000']) {
      const quote = await quoteOf(symbol, tokenOut, size);
      expect(quote.route.legs, `${size} ${symbol} to ${tokenOut}`).not.toEqual([]);
      expect(await executeQuote(quote), `${size} ${symbol} to ${tokenOut}`).toBe(quote.amountOut);
      expect(taxesOf(quote)).not.toContainEqual(expect.objectContaining({ taxBps: null }));
    }
  }
});

test('a purchase of a token with a small negative tax pays the quote, to the wei', async () => {
  for (const tokenIn of ['USDC', 'WETH', 'OAK']) {
    const quote = await quoteOf(tokenIn, 'BONUS', '2');
    expect(quote.route.legs).not.toEqual([]);
    expect(quote.confidence).not.toBe('low');
    expect(await executeQuote(quote)).toBe(quote.amountOut);
  }
});

test('a pretrade check quotes a purchase of a token with a small negative tax', async () => {
  const checker = engineOnBase.engine as unknown as PretradeChecker;
  const { quote, reasons } = await checker.check({ chain: 'base', token: tokenOf(chain, 'BONUS').address });
  expect(quote, reasons.join(' ')).toMatchObject({ direction: expect.any(String), confidence: 'high' });
});

test('NO_ROUTE states the total supply for a size above it', async () => {
  const { decimals } = tokenOf(chain, 'OVERSUPPLY');
  const supply = parseUnits('1000000000', decimals);
  const beyond = await quoteOf('OVERSUPPLY', 'USDC', toDecimal(supply + 1n, decimals));
  expect(beyond.amountOut).toBe(0n);
  const flag = beyond.flags.find(({ code }) => code === 'NO_ROUTE');
  expect(flag?.message).toContain('1000000000');
  expect(flag?.facts).toMatchObject({ totalSupply: supply.toString() });
  const all = await quoteOf('OVERSUPPLY', 'USDC', toDecimal(supply, decimals));
  expect(all.amountOut).toBeGreaterThan(0n);
  expect(codesOf(all)).not.toContain('NO_ROUTE');
});

test.each(layouts)('finds the storage slots of %s in %i requests', async (symbol, firstRequests) => {
  const fresh = engineOn(chain);
  await fresh.engine.start();
  const requests: number[] = [];
  for (const size of ['3', '777.777']) {
    const before = fresh.endpoint.requests;
    const quote = await quoteOf(symbol, 'USDC', size, fresh);
    requests.push(fresh.endpoint.requests - before);
    expect(await executeQuote(quote)).toBe(quote.amountOut);
    expect(taxesOf(quote)).toMatchObject([{ side: 'sell', taxBps: 1000 }]);
  }
  expect(requests).toEqual([firstRequests, 1]);
});

test('without eth_createAccessList, tries the common storage layouts; otherwise reports an unknown tax', async () => {
  const limited = engineWithRefusals(({ method }) => method === 'eth_createAccessList');
  const quote = await quoteOf('ORIGIN', 'USDC', '9000', limited);
  expect(await executeQuote(quote)).toBe(quote.amountOut);
  expect(taxesOf(quote)).toMatchObject([{ side: 'sell', taxBps: 5000 }]);

  const elsewhere = await quoteOf('ELSEWHERE', 'USDC', '9000', limited);
  expect(taxesOf(elsewhere)).toMatchObject([{ side: 'sell', taxBps: null }]);
  expect(elsewhere.confidence).toBe('low');
  const withAccessList = await quoteOf('ELSEWHERE', 'USDC', '9000');
  expect(taxesOf(withAccessList)).toMatchObject([{ side: 'sell', taxBps: 1000 }]);
  expect(await executeQuote(withAccessList, withAccessList.amountIn * 2n)).toBe(withAccessList.amountOut);
});

test('reports low confidence at a node without state overrides', async () => {
  const limited = engineWithRefusals(({ method, params }) => method === 'eth_call' && params.length > 2);
  const quote = await quoteOf('ORIGIN', 'USDC', '9000', limited);
  expect(codesOf(quote)).toContain('QUOTERS_ONLY');
  expect(quote.confidence).toBe('low');
});
