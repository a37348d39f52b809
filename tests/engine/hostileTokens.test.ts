import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oddDecimalsTokenArtifact } from '../../contracts/artifacts/sandbox/OddDecimalsToken.ts';
import { trapTokenArtifact } from '../../contracts/artifacts/sandbox/TrapToken.ts';
import type { QuoteAnswer } from '../../engine/index.ts';
import {
  makerAddress,
  type OpenChain,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  type SandboxWallet,
  startSandbox,
} from '../../sandbox/index.ts';
import { executed } from './executed.ts';
import { ledgerToken, placed } from './ledgerToken.ts';
import { andPutBack, type EngineOnChain, engineOn, tokenOf } from './market.ts';

const traps = [
  'RevertInTransfer',
  'BurnInTransfer',
  'HugeAnswerInTransfer',
  'FalseInTransfer',
  'NothingInTransfer',
  'ReenterInTransfer',
  'RevertInBalance',
  'BurnInBalance',
  'HugeAnswerInBalance',
  'FallingBalance',
] as const;

const tokens = traps.map((trap, index) => ledgerToken(trap, 2, trapTokenArtifact, [index]));
const usd = 200_000;
const pools = traps.flatMap((trap) => [
  { venue: 'uniswap-v2', pair: [trap, 'USDC'] as const, usd },
  { venue: 'uniswap-v3', pair: [trap, 'WETH'] as const, usd, tier: 3000 },
  { venue: 'aerodrome', pair: [trap, 'WETH'] as const, usd },
  { venue: 'uniswap-v4', pair: [trap, 'USDC'] as const, usd, tier: 3000 },
]);

let sandbox: Sandbox;
let builder: OpenChain;
let chain: SandboxChain;
let asked: EngineOnChain;
let trader: SandboxWallet;

beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
  builder = await reopenChain(sandbox.chains.base as SandboxChain, sandbox.wallets);
  chain = await builder.list({ tokens, pools });
  const data = encodeFunctionData({ abi: trapTokenArtifact.abi, functionName: 'arm' });
  await builder.perform(tokens.map(({ address }) => ({ to: address, data })));
  asked = engineOn(chain);
  await asked.engine.start();
});
afterAll(() => sandbox?.close());

async function quoteOf(tokenIn: Address, tokenOut: Address, size: string, on = asked): Promise<QuoteAnswer> {
  const answer = await on.engine.quote({ chain: 'base', tokenIn, tokenOut, size: { tokenIn: size } });
  // Nothing that answers a lens may make its own answer long; ticks are most of it. Gas has its limit in every call.
  expect(on.endpoint.lastBytes.received).toBeLessThan(120_000);
  return answer;
}

const symbolOf = (symbol: string) => tokenOf(chain, symbol).address;
const quoteBy = (tokenIn: string, tokenOut: string, size: string, on = asked) =>
  quoteOf(symbolOf(tokenIn), symbolOf(tokenOut), size, on);

const codesOf = ({ flags }: QuoteAnswer) => flags.map(({ code }) => code);
async function expectTrue(answer: QuoteAnswer): Promise<void> {
  const truth = await executed(chain, answer.route.legs, answer.amountIn, trader);
  expect(truth?.received).toBe(answer.amountOut);
}

describe.each(traps)('a token with %s', (trap) => {
  test('behavior: is quoted as it can be traded, or not at all', async () => {
    for (const other of ['USDC', 'WETH', 'OAK']) {
      for (const [tokenIn, tokenOut] of [
        [trap, other],
        [other, trap],
      ] as const) {
        const answer = await quoteBy(tokenIn, tokenOut, '2');
        if (answer.route.legs.length === 0) expect(codesOf(answer)).toContain('NO_ROUTE');
        else await expectTrue(answer);
      }
    }
  });
});

test.each(['NothingInTransfer', 'ReenterInTransfer'] as const)(
  'behavior: %s is no reason to refuse: it trades',
  async (trap) => {
    expect((await quoteBy(trap, 'USDC', '2')).amountOut).toBeGreaterThan(0n);
    expect((await quoteBy('USDC', trap, '2')).amountOut).toBeGreaterThan(0n);
  },
);

test.each([
  ['255', 255n, { in: 255 }],
  ['77', 77n, { in: 77 }],
  ['more than a byte', 1n << 200n, { in: 0 }],
  ['100 kB', 0n, { in: 0 }],
])('behavior: a token whose decimals() says %s gets an answer', async (_name, word, decimals) => {
  await andPutBack(chain, async () => {
    const token = placed('odd decimals', oddDecimalsTokenArtifact, [makerAddress, word]);
    await builder.place([token]);
    const answer = await quoteOf(token.address, chain.usdc, '1.5');
    expect(answer).toMatchObject({ amountOut: 0n, decimals });
    expect(codesOf(answer)).toContain('NO_ROUTE');
    expect(codesOf(answer).includes('NOT_A_TOKEN')).toBe(decimals.in === 0);
  });
});
