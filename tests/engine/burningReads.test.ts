import { encodeFunctionData } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { burningReadsTokenArtifact } from '../../contracts/artifacts/sandbox/BurningReadsToken.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { ledgerToken } from './ledgerToken.ts';
import { engineOn } from './market.ts';
import { poolsOnEachKind } from './poolsOnEachKind.ts';

// A token with pools on each kind of venue, whose reads burn the gas that they get. Its owner pays cents; a quote that
// failed after the payment would cost the service the answer.

const burner = ledgerToken('BURNER', 2, burningReadsTokenArtifact);
const pools = poolsOnEachKind('BURNER', 20_000);

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({ tokens: [burner], pools });
  const data = encodeFunctionData({ abi: burningReadsTokenArtifact.abi, functionName: 'arm' });
  await opened.builder.perform([{ to: burner.address, data }]);
});

test.each([
  ['a sale', (usdc: string) => ({ tokenIn: burner.address, tokenOut: usdc, size: { tokenIn: '10' } })],
  ['a purchase', (usdc: string) => ({ tokenIn: usdc, tokenOut: burner.address, size: { tokenIn: '10' } })],
  ['a sale by its value', (usdc: string) => ({ tokenIn: burner.address, tokenOut: usdc, size: { usd: '10' } })],
] as const)('%s of a token whose reads and transfers burn their gas has an answer: no route', async (_, toQuery) => {
  const { engine } = engineOn(chain);
  const query = toQuery(chain.usdc) as Parameters<typeof engine.quote>[0];
  const answer = await engine.quote({ ...query, chain: 'base' });
  expect(answer.amountOut).toBe(0n);
  expect(answer.flags.map(({ code }) => code)).toContain('NO_ROUTE');
  expect(answer.flags.map(({ code }) => code)).not.toContain('QUOTERS_ONLY');
});
