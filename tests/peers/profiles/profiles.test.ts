import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeStart } from '../../../server/startSummary.ts';
import type { PaidAnswer, PaidCall } from './paidCalls.ts';
import { profiles } from './profiles.ts';
import { type ProfileChains, runProfile, startProfileChains } from './runProfile.ts';

// `npm run prove:nodes` runs every profile and every call. These are the profiles that failed before.

let chains: ProfileChains;
let plain: Map<string, PaidAnswer['answer']>;

/** Two quotes, and the checks that a lost simulation, log or header changes. */
const judged = new Set(['base large', 'polygon small', 'check NOPOOL', 'check TAX5', 'check PAUSED']);
const only = ({ name }: PaidCall) => judged.has(name);

const profileOf = (name: string) => {
  const found = profiles.find((profile) => profile.name === name);
  if (!found) throw new RangeError(`There is no profile ${name}.`);
  return found;
};

beforeAll(async () => {
  chains = await startProfileChains();
  const { answers } = await runProfile(chains, profileOf('node'), { only });
  plain = new Map(answers.map(({ call, answer }) => [call.name, answer]));
});
afterAll(() => chains?.sandbox.close());

test.each(['gaps of 12 s', 'gaps of 2 s', 'a call 0 or 1 block behind', 'batches of 3'])(
  'with one URL, %s, every paid call is answered as by the plain node',
  async (name) => {
    const run = await runProfile(chains, profileOf(name), { plain, only });
    expect({ wrong: run.wrong, served: run.served, unanswered: run.chargedUnanswered }).toEqual({
      wrong: [],
      served: judged.size,
      unanswered: 0,
    });
    expect(run.largestCheckBytes).toBeLessThan(1_000_000);
  },
);

const few = ({ name }: PaidCall) => name === 'arbitrum small' || name === 'base large' || name === 'check TAX5';

test.each(['no overrides', 'no simulation', 'past blocks refused'])(
  'with %s, quotes are answered and checks are refused without a charge',
  async (name) => {
    const run = await runProfile(chains, profileOf(name), { plain, only: few });
    expect({ served: run.served, charged: run.charged, unanswered: run.chargedUnanswered }).toEqual({
      served: 2,
      charged: 2,
      unanswered: 0,
    });
    expect(run.answers.at(-1)?.failures[0]).toContain('This request charged nothing');
  },
);

test.each(['gas cap of 10 M', 'L1 gas on Arbitrum', '2 % HTTP 429', 'quantities with a leading zero'])(
  'with %s, every paid call is answered as by the plain node',
  async (name) => {
    const run = await runProfile(chains, profileOf(name), { plain, only: few });
    expect({ wrong: run.wrong, served: run.served }).toEqual({ wrong: [], served: 3 });
  },
);

test('the start names the URL that refuses every request, and nothing is charged', async () => {
  let summary = '';
  const run = await runProfile(chains, profileOf('HTTP 403'), {
    only: ({ name }) => name === 'base large',
    inspect: async (server) => {
      summary = describeStart(server.summary);
    },
  });
  expect(summary).toContain('base down; base-1 returned HTTP 403');
  expect(run.charged).toBe(0);
});
