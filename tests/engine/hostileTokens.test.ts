import { beforeAll, describe, expect, test } from 'vitest';
import { oddDecimalsTokenArtifact } from '../../contracts/artifacts/sandbox/OddDecimalsToken.ts';
import { makerAddress, type SandboxChain } from '../../sandbox/index.ts';
import { armTraps, trapMarket, traps } from '../support/hostileContracts.ts';
import { codesOf } from '../support/quoteAnswers.ts';
import { expectExecutable, quoteBounded } from '../support/quoteBounded.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { placed } from './ledgerToken.ts';
import { type EngineOnChain, engineOn, tokenOf, withChainRestored } from './market.ts';

const opened = useOpenChain('base');
let chain: SandboxChain;
let engineOnBase: EngineOnChain;

beforeAll(async () => {
  chain = await opened.builder.list(trapMarket);
  await armTraps(opened.builder);
  engineOnBase = engineOn(chain);
  await engineOnBase.engine.start();
});

const addressOf = (symbol: string) => tokenOf(chain, symbol).address;
const quoteBy = (tokenIn: string, tokenOut: string, size: string, on = engineOnBase) =>
  quoteBounded(on, addressOf(tokenIn), addressOf(tokenOut), size);

describe.each(traps)('a token with %s', (trap) => {
  test('has quotes that a trade pays, or NO_ROUTE', async () => {
    for (const other of ['USDC', 'WETH', 'OAK']) {
      for (const [tokenIn, tokenOut] of [
        [trap, other],
        [other, trap],
      ] as const) {
        const answer = await quoteBy(tokenIn, tokenOut, '2');
        if (answer.route.legs.length === 0) expect(codesOf(answer)).toContain('NO_ROUTE');
        else await expectExecutable(chain, answer, opened.trader);
      }
    }
  });
});

test.each(['NothingInTransfer', 'ReenterInTransfer'] as const)('%s is quoted in both directions', async (trap) => {
  expect((await quoteBy(trap, 'USDC', '2')).amountOut).toBeGreaterThan(0n);
  expect((await quoteBy('USDC', trap, '2')).amountOut).toBeGreaterThan(0n);
});

test.each([
  ['255', 255n, { in: 255 }],
  ['77', 77n, { in: 77 }],
  ['more than a byte', 1n << 200n, { in: 0 }],
  ['100 kB', 0n, { in: 0 }],
])('behavior: NO_ROUTE for a token whose decimals() returns %s', async (_name, word, decimals) => {
  await withChainRestored(chain, async () => {
    const token = placed('odd decimals', oddDecimalsTokenArtifact, [makerAddress, word]);
    await opened.builder.place([token]);
    const answer = await quoteBounded(engineOnBase, token.address, chain.usdc, '1.5');
    expect(answer).toMatchObject({ amountOut: 0n, decimals });
    expect(codesOf(answer)).toContain('NO_ROUTE');
    expect(codesOf(answer).includes('NOT_A_TOKEN')).toBe(decimals.in === 0);
  });
});
