import { type Address, encodeFunctionData } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PretradeAnswer } from '../../../engine/index.ts';
import { b20 } from '../../../sandbox/b20/installB20.ts';
import { createNodeClient } from '../../../sandbox/rpc/nodeClient.ts';
import { withRevert } from '../../../sandbox/testTokens/measurement/traders.ts';
import { b20Endpoint } from '../../support/b20Endpoint.ts';
import { checkerOver } from '../checkOn.ts';
import { accounts, type B20Token, B20World, idOf, mintTo } from './b20World.ts';
import { policyStates } from './policyStates.ts';
import { powerStates } from './powerStates.ts';
import { seize } from './stateSteps.ts';

// Each answer is compared with real trades of a new wallet, and with real calls of every account that has a right.

const b20States = [...policyStates, ...powerStates];
let world: B20World;
let tokens: Map<string, B20Token>;
beforeAll(async () => {
  world = await B20World.start();
  tokens = await world.create(b20States);
}, 240_000);
afterAll(() => world?.close());

const tokenOf = (symbol: string): B20Token => {
  const token = tokens.get(symbol);
  if (!token) throw new TypeError(`There is no ${symbol}.`);
  return token;
};

async function check({ address }: B20Token): Promise<PretradeAnswer> {
  return checkerOver(world.chain, b20Endpoint(world.chain.rpcUrl)).check({ chain: 'base', token: address });
}

const everyPower = (holder: Address) => ({
  mint: mintTo(1n),
  updatePolicy: encodeFunctionData({
    abi: b20.abi,
    functionName: 'updatePolicy',
    args: [idOf('TRANSFER_SENDER_POLICY'), (1n << 56n) | 1n],
  }),
  seizeWithMemo: seize(holder),
});

describe.each(b20States)('$symbol: $about', ({ symbol, setUp, expected, prove }) => {
  test('the answer agrees with real trades and real calls', async () => {
    const node = createNodeClient(world.chain.rpcUrl);
    await withRevert(node, async () => {
      const token = tokenOf(symbol);
      // Bought before a rule blocks purchases, so that there is a holder in each state.
      const early = await world.trade(token);
      expect(early).toMatchObject({ bought: true, sold: true });
      await setUp(world, token);
      const answer = await check(token);
      const { transferability } = answer.risk_profile;
      const shown = {
        hasBlacklist: transferability.hasBlacklist,
        isMintable: answer.ownership.isMintable,
        seize: transferability.fingerprints.split(', ').includes('owner-can-seize-balances'),
        renounced: answer.ownership.ownerRenounced,
        outcome: transferability.outcome,
        tradingEnabled: transferability.tradingEnabled,
        triggers: answer.triggers,
      };
      const { reason, ...facts } = expected;
      const tradable = facts.outcome === 'tradable';
      // A router that an executor policy refuses is no gate: other routers may work.
      const tradingEnabled = facts.tradingEnabled ?? (tradable ? true : null);
      expect(shown, answer.reasons.join('\n')).toEqual({ triggers: [], ...facts, tradingEnabled });
      if (reason) expect(answer.reasons).toContainEqual(expect.stringMatching(reason));

      const traded = await world.trade(token, `${symbol} later`);
      const outcome = !traded.bought ? 'purchase-blocked' : traded.sold ? 'tradable' : 'sale-blocked';
      expect(outcome).toBe(expected.outcome);

      // Calls of every account with a right, in the state that the answer is about.
      const { seizeWithMemo, updatePolicy, mint } = everyPower(early.wallet);
      const tries = await Promise.all(
        Object.values(accounts).flatMap((from) =>
          [mint, updatePolicy, seizeWithMemo].map((data) => world.can(from, token.address, data)),
        ),
      );
      const canAny = (at: number) => tries.some((works, index) => works && index % 3 === at);
      const proof = (await prove?.(world, token, early.wallet)) ?? {};
      expect(proof.minted ?? canAny(0)).toBe(expected.isMintable);
      const isRefused = outcome !== 'tradable' && answer.triggers.length === 0;
      expect(proof.blocked ?? (isRefused || canAny(1))).toBe(expected.hasBlacklist);
      expect(proof.seized ?? canAny(2)).toBe(expected.seize);
    });
  }, 60_000);
});
