import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SandboxChain, startSandbox } from '../../../sandbox/index.ts';
import { proveCases } from '../../engine/proveCases.ts';
import { listTaxedTokens } from '../../engine/taxedMarket.ts';
import { findWallet } from '../../support/findWallet.ts';
import type { Profile } from '../profiles/profileTypes.ts';
import { type ProfileChains, runProfile, startProfileChains } from '../profiles/runProfile.ts';
import { startGethChain, startGethChains } from './gethChains.ts';
import { gethProgram } from './gethProgram.ts';
import { createGethRunner } from './gethRunner.ts';

// go-ethereum with the sandbox's state, and the service in live mode in front of it.

const geth = gethProgram();

const plainNode: Profile = { name: 'node', source: 'anvil', rules: {} };
// geth accepts no two blocks of one second, so time would run ahead of the clock with shorter intervals.
const gethNode: Profile = { name: 'geth', source: 'go-ethereum 1.17.10', rules: {}, blockMs: 1_000 };

describe.skipIf(!geth)('go-ethereum', () => {
  let anvil: ProfileChains;
  beforeAll(async () => {
    anvil = await startProfileChains();
  }, 60_000);
  afterAll(() => anvil?.sandbox.close());

  test.each([
    ['Prague', false],
    ['Osaka', true],
  ])('under the rules of %s, quotes, checks and payments are as on anvil', { timeout: 240_000 }, async (_, isOsaka) => {
    const chains = await startGethChains(anvil, geth ?? '', { isOsaka });
    try {
      const plainRun = await runProfile(anvil, plainNode);
      const plain = new Map(plainRun.answers.map(({ call, answer }) => [call.name, answer]));
      const run = await runProfile(chains, gethNode, { plain });
      const failures = run.answers.flatMap((answer) => answer.failures);
      expect(run.wrong, failures.join('\n')).toEqual([]);
      expect([run.served, run.right, run.charged, run.chargedUnanswered], failures.join('\n')).toEqual([15, 15, 15, 0]);
    } finally {
      await chains.close();
    }
  });

  test.each(['base', 'polygon', 'arbitrum'] as const)(
    'on %s, quotes are what real swaps on geth pay, to the wei',
    { timeout: 240_000 },
    async (name) => {
      const sandbox = await startSandbox({ chains: [name] });
      try {
        const taxed = await listTaxedTokens(sandbox.chains[name] as SandboxChain, sandbox.wallets);
        const { chain, close } = await startGethChain(taxed, geth ?? '', { automine: true });
        try {
          const proof = await proveCases(chain, findWallet(sandbox.wallets, 'trader'), {
            executions: 14,
            seed: 38,
            openRunner: createGethRunner,
          });
          expect(proof.faults).toEqual([]);
          expect(proof.executed).toBeGreaterThanOrEqual(14);
        } finally {
          await close();
        }
      } finally {
        await sandbox.close();
      }
    },
  );
});
