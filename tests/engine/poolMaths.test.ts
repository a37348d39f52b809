import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, type SandboxChain, startSandbox } from '../../sandbox/index.ts';
import { type PoolProof, provePools, type RecordedSwap, venuesWithoutMaths } from './provePools.ts';

/** `npm run prove:pools` sets these; without it the same seed compares a sample. */
const { PROVE_CASES = '2400', PROVE_SEED = '20261122', PROVE_OUT, PROVE_RECORD } = process.env;
const chains = ['base', 'polygon', 'arbitrum'] as const;
const cases = Math.ceil(Number(PROVE_CASES) / chains.length);

let sandbox: Sandbox;
const proofs: Record<string, PoolProof> = {};

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox?.close();
  const recorded = Object.values(proofs).flatMap((proof) => Object.values(proof.recorded).flat());
  if (PROVE_RECORD) await writeFile(PROVE_RECORD, `[\n${recorded.map(withBigints).join(',\n')}\n]\n`);
  if (!PROVE_OUT) return;
  await mkdir(dirname(PROVE_OUT), { recursive: true });
  await writeFile(
    PROVE_OUT,
    `${JSON.stringify({ seed: Number(PROVE_SEED), proofs }, (key, value) => (key === 'recorded' ? undefined : value), 2)}\n`,
  );
});

/** JSON with bigints as "123n". */
const withBigints = (swap: RecordedSwap) =>
  JSON.stringify(swap, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));

describe.concurrent('pool maths', () => {
  test.each(chains)(
    'on %s every swap equals the published quoters and executions to the wei',
    async (name) => {
      const chain = sandbox.chains[name] as SandboxChain;
      const seed = Number(PROVE_SEED) + chains.indexOf(name);
      const proof = await provePools(chain, sandbox.wallets, { cases, seed });
      proofs[name] = proof;
      const { faults, recorded: _, ...counts } = proof;
      console.log(name, JSON.stringify(counts));
      expect(faults).toEqual([]);
      const venues = new Set(
        [...chain.pools.map(({ venue }) => venue), ...(name === 'base' ? [] : ['balancer-v2'])].filter(
          (venue) => !venuesWithoutMaths.includes(venue),
        ),
      );
      expect(Object.keys(proof.venues).sort()).toEqual([...venues].sort());
      const { quoted, beyond, crossings, states } = proof;
      for (const [kind, seen] of Object.entries({ quoted, beyond, crossings, states })) {
        expect(seen, kind).toBeGreaterThan(0);
      }
    },
    3_600_000,
  );
});
