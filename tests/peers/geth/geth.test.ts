import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../findProgram.ts';
import type { Profile } from '../profiles/profileTypes.ts';
import { type ProfileChains, runProfile, startProfileChains } from '../profiles/runProfile.ts';
import { startGethChains } from './gethChains.ts';

// go-ethereum with the sandbox's state, and the service in live mode in front of it.

const built = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'truefill-peers', 'bin', 'geth');
const geth = existsSync(built) ? built : findProgram('geth', 'npm run prove:peers');

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
});
