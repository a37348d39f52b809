import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxChain, type SandboxWallet, startSandbox } from '../../sandbox/index.ts';
import { engineOn } from './market.ts';
import { type Proof, proveCases } from './proveCases.ts';
import { listTaxedTokens } from './taxedMarket.ts';
import { listWeightedTokens } from './weightedMarket.ts';

/** `npm run prove:quotes` sets these; by default a constant seed draws a sample. */
const { PROVE_CASES = '120', PROVE_SEED = '20261121', PROVE_OUT } = process.env;
const chains = ['base', 'polygon', 'arbitrum'] as const;
const executions = Math.ceil(Number(PROVE_CASES) / chains.length);

/** Families that each chain's sandbox has pools of. */
const families = {
  base: ['algebra', 'solidly', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
  polygon: ['algebra', 'balancer-v2', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
  arbitrum: ['algebra', 'balancer-v2', 'uniswap-v2', 'uniswap-v3', 'uniswap-v4'],
};

let sandbox: Sandbox;
let trader: SandboxWallet;
const proofs: Record<string, Proof> = {};

beforeAll(async () => {
  sandbox = await startSandbox();
  trader = sandbox.wallets.find(({ role }) => role === 'trader') as SandboxWallet;
});
afterAll(async () => {
  await sandbox?.close();
  if (!PROVE_OUT) return;
  await mkdir(dirname(PROVE_OUT), { recursive: true });
  await writeFile(PROVE_OUT, `${JSON.stringify({ seed: Number(PROVE_SEED), proofs }, null, 2)}\n`);
});

test.each(chains)(
  'default: on %s the block is the chain’s latest, even if block.number is that of another chain',
  async (name) => {
    const chain = sandbox.chains[name] as SandboxChain;
    const { engine, endpoint } = engineOn(chain);
    const [token] = chain.tokens.filter(({ address }) => address !== chain.usdc);
    const [reply] = await endpoint.send([{ method: 'eth_blockNumber', params: [] }], {
      signal: AbortSignal.timeout(10_000),
    });
    const size = { tokenIn: '1' };
    const tokenOut = token?.address ?? chain.wrappedNative;
    const quote = await engine.quote({ chain: name, tokenIn: chain.usdc, tokenOut, size });
    expect(reply).toEqual({ result: `0x${quote.blockNumber.toString(16)}` });
  },
);

describe.concurrent('generated', () => {
  test.each(chains)(
    'default: on %s the route pays amountOut to the wei, and every field follows its rules',
    async (name) => {
      const seed = Number(PROVE_SEED) + chains.indexOf(name);
      const taxed = await listTaxedTokens(sandbox.chains[name] as SandboxChain, sandbox.wallets);
      const chain = await listWeightedTokens(taxed, sandbox.wallets);
      const proof = await proveCases(chain, trader, { executions, seed });
      proofs[name] = proof;
      const { faults, ...counts } = proof;
      console.log(name, JSON.stringify(counts));
      expect(faults).toEqual([]);
      expect(Object.keys(proof.families).sort()).toEqual(families[name]);
      const { twoLegs, splits, noRoute, taxedBuys, taxedSales, upwards, downwards, decades } = proof;
      const kinds = { twoLegs, splits, noRoute, taxedBuys, taxedSales, upwards, downwards, ...decades };
      for (const [kind, seen] of Object.entries(kinds)) expect(seen, kind).toBeGreaterThan(0);
    },
    900_000,
  );
});
