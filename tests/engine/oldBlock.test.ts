import { afterAll, beforeAll, expect, test } from 'vitest';
import { byChain, createEngine, type EnginePorts } from '../../engine/index.ts';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOn, tokenOf } from './market.ts';

let sandbox: Sandbox;
let chain: SandboxChain;
beforeAll(async () => {
  sandbox = await startSandbox({ chains: ['base'] });
  chain = sandbox.chains.base as SandboxChain;
});
afterAll(() => sandbox?.close());

const oneHourAhead = () => Date.now() + 3_600_000;
const ports = { now: oneHourAhead, oldBlockMs: 600_000 } satisfies Partial<EnginePorts>;

const sellEther = ({ engine }: ReturnType<typeof engineOn>) =>
  engine.quote({
    chain: 'base',
    tokenIn: tokenOf(chain, 'WETH').address,
    tokenOut: tokenOf(chain, 'USDC').address,
    size: { tokenIn: '1' },
  });

test('behavior: a quote at a block one hour old has OLD_BLOCK and low confidence', async () => {
  const answer = await sellEther(engineOn(chain, [], ports));
  expect(answer.confidence).toBe('low');
  expect(answer.flags[0]).toMatchObject({ code: 'OLD_BLOCK', severity: 'critical' });
  expect(Number(answer.flags[0]?.facts?.ageSeconds)).toBeGreaterThanOrEqual(3_600);
});

test('default: without oldBlockMs an old block is not flagged', async () => {
  const answer = await sellEther(engineOn(chain, [], { now: oneHourAhead }));
  expect(answer.confidence).toBe('high');
  expect(answer.flags.map(({ code }) => code)).not.toContain('OLD_BLOCK');
});

test('behavior: a pretrade check at a block one hour old has low confidence and keeps its verdict', async () => {
  const engine = createEngine({
    rpc: { base: [loopbackEndpoint(chain.rpcUrl)] },
    freshnessMs: byChain(() => 0),
    deadlineMs: 30_000,
    ...ports,
  });
  const answer = await engine.check({ chain: 'base', token: tokenOf(chain, 'OAK').address });
  expect(answer).toMatchObject({ verdict: 'clear', confidence: 'low', quote: { confidence: 'low' } });
  expect(answer.reasons.join(' ')).toMatch(/The latest available block is \d+ s old/);
});
